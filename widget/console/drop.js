/** Files that come by the mouse or a picker, with the names that they have in their folders. */

import { button, el } from './dom.js';

/** Take files that are dropped anywhere on the page. */
export function acceptDrops(take) {
  const veil = el('div', { class: 'veil', hidden: true, 'aria-hidden': 'true' },
    el('p', {}, 'Drop the files to add them'));
  document.body.append(veil);
  let inside = 0; // every element that is entered and left tells so

  function show(change, event) {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    inside = change === 0 ? 0 : inside + change;
    veil.hidden = inside <= 0;
  }

  addEventListener('dragenter', (event) => show(1, event));
  addEventListener('dragleave', (event) => show(-1, event));
  addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  addEventListener('drop', async (event) => {
    show(0, event);
    if (!event.dataTransfer?.types.includes('Files')) return;
    // What is dropped can be read now or never.
    const entries = [...event.dataTransfer.items].map((one) => one.webkitGetAsEntry?.() ?? null);
    const files = [...event.dataTransfer.files];
    const found = entries.some((one) => one?.isDirectory)
      ? (await Promise.all(entries.filter(Boolean).map(inEntry))).flat()
      : files.map(named);
    take(found.filter(isMeant));
  });
}

/** Two buttons that ask for files, and for all files of a folder. */
export function pickers(take, kind) {
  return [
    picker('Choose files', { multiple: true }, kind, take),
    picker('Choose a folder', { webkitdirectory: true }, '', take),
  ];
}

function picker(text, attributes, kind, take) {
  const input = el('input', { type: 'file', hidden: true, ...attributes, on: { change } });
  return el('span', {}, button(text, () => input.click(), { class: kind }), input);

  function change() {
    take([...input.files].map(named).filter(isMeant));
    input.value = ''; // the same file may be chosen again
  }
}

function named(file) {
  return { file, name: file.webkitRelativePath || file.name };
}

/** Folders are full of files that nobody has made, all with a dot. */
function isMeant({ name }) {
  return !name.includes('/') || !name.split('/').some((part) => part.startsWith('.'));
}

async function inEntry(entry) {
  const path = entry.fullPath.replace(/^\//, '');
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ file, name: path }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return found;
    found.push(...(await Promise.all(some.map(inEntry))).flat());
  }
}
