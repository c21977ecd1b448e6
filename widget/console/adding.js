/** Where files are added: by a picker here, or dropped anywhere on the page. */

import { acceptDrops, pickers } from './drop.js';
import { el, field } from './dom.js';
import { DEFAULT, fillChoice } from './known_sources.js';
import { add } from './uploads.js';

const FORMATS = 'Word, PowerPoint, Excel, web pages, Markdown, e-mail, tables, plain text…';

let target = DEFAULT;

/** The place to add files at: large for whoever has none yet. */
export function adding(isFirst) {
  const choice = el('select', { on: { change: () => { target = choice.value; } } });
  fillChoice(choice, target);
  target = choice.value || DEFAULT;
  const words = isFirst
    ? [el('p', { class: 'invitation' }, 'Drop a PDF here, then ask about it'),
      el('p', { class: 'muted' }, `Or any other file with text in it: ${FORMATS}`)]
    : [el('p', { class: 'invitation' }, 'Drop files anywhere to add them')];
  return el('section', { class: isFirst ? 'adding first' : 'adding', 'aria-label': 'Add files' },
    el('div', { class: 'words' }, words),
    el('div', { class: 'means' }, pickers(take, isFirst ? 'primary' : ''), field('into', choice)));
}

/** Take what is dropped on the page, whichever view it shows. */
export function acceptFiles() {
  acceptDrops(take);
}

function take(files) {
  if (files.length) add(files, target);
}
