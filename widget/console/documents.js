/** The documents, a page at a time. */

import { adding } from './adding.js';
import { call, pages } from './api.js';
import { calmly } from './calmly.js';
import { confirm } from './dialogs.js';
import { announce } from './announce.js';
import { button, el, field } from './dom.js';
import { counted, when } from './format.js';
import { fillChoice, nameOf, readSources } from './known_sources.js';
import { latest } from './latest.js';
import { toDocument, toSource } from './places.js';
import { empty, failed, paged, viewHeading } from './states.js';
import { forget, uploads } from './uploads.js';

const PAGE = 100; // as many as the API gives at once

/** The view. */
export async function show(place, { params }, signal) {
  const among = el('select', { on: { change: choose } });
  const files = el('div');
  const found = el('div');
  place.append(viewHeading('Documents'), files, field('Data source', among), found);
  await readSources(signal);
  files.append(adding(false));
  fillChoice(among, params.get('source') ?? '', 'All data sources');
  const turn = latest(signal);
  uploads.addEventListener('ready', calmly(async () => {
    if (!found.contains(document.activeElement)) await relist(); // who is in the list stays there
  }), { signal });
  await list();

  function choose() {
    history.replaceState(null, '', toSource(among.value)); // a reload shows the same
    relist();
  }

  async function relist() {
    try {
      await list();
    } catch (error) {
      found.replaceChildren(failed(error, relist));
    }
  }

  /** The first page; one that was asked for before comes too late. */
  async function list() {
    const wanted = turn();
    const query = new URLSearchParams({ limit: PAGE });
    if (among.value) query.set('dataSource', among.value);
    const rows = el('ul', { class: 'rows documents' });
    const turns = pages(`api/rag/documents?${query}`, wanted);
    const order = el('p', { class: 'muted order' });
    const take = (page) => {
      const all = page.documents.map((one) => row(one, () => {
        if (!rows.children.length) relist();
      }));
      // The API lists them by their ids.
      rows.append(...[...rows.children, ...all].sort(newestFirst));
      order.textContent = page.next ? 'Newest first, of those loaded so far' : 'Newest first';
    };
    const { place: more, add } = paged(take, turns, wanted);
    try {
      await add();
    } catch (error) {
      if (!wanted.aborted) throw error;
    }
    if (wanted.aborted) return;
    found.replaceChildren(...(rows.children.length ? [order, rows] : [none()]), more);
  }

  function none() {
    return among.value
      ? empty('Nothing in this data source yet', 'Choose it above as what to add files into.')
      : empty('No documents yet', 'Drop a file here: a few seconds later you can ask about it.');
  }
}

function newestFirst({ dataset: one }, { dataset: other }) {
  return Date.parse(other.changed) - Date.parse(one.changed);
}

function row(one, gone) {
  const remove = removal(one, () => {
    made.remove();
    gone();
  });
  const made = el('li', { 'data-changed': one.updatedAt },
    el('div', { class: 'what' },
      el('a', { class: 'name', href: toDocument(one.documentId) }, el('bdi', {}, one.title)),
      el('span', { class: 'muted' }, nameOf(one.dataSourceId), ' · ', el('bdi', {}, one.path),
        ` · ${counted(one.chunkCount, 'passage')} · ${when(one.updatedAt)}`),
      tags(one.tags)),
    el('div', { class: 'actions' }, remove));
  return made;
}

/** Its tags, if it has any. */
export function tags(all) {
  return all.length
    ? el('ul', { class: 'tags', 'aria-label': 'Tags' }, all.map((tag) => el('li', {}, tag))) : null;
}

/** A button that deletes a document once that is confirmed. */
export function removal({ documentId, title }, then) {
  const text = `Nobody finds “${title}” from now on; whoever wants it back has to add it again. `
    + 'What was sent here is erased after about a week. A file in the folder or bucket of uploads '
    + 'stays there, and is read again when it changes.';
  const act = async () => {
    await call(`api/rag/documents/${encodeURIComponent(documentId)}`, { method: 'DELETE' });
    forget((upload) => upload.document === documentId);
    announce(`${title} is deleted.`);
    then();
  };
  return button('Delete', () => confirm('Delete this document?', text, 'Delete', act), {
    'aria-label': `Delete ${title}`,
  });
}
