/** The data sources: what is in them, and who may query it. */

import { announce } from './announce.js';
import { call } from './api.js';
import { confirm } from './dialogs.js';
import { button, el } from './dom.js';
import { counted, when } from './format.js';
import { readSources } from './known_sources.js';
import { toSource } from './places.js';
import { accessOf, sourceForm } from './source_form.js';
import { viewHeading } from './states.js';
import { forget } from './uploads.js';

/** The view. */
export async function show(place, _, signal) {
  const list = el('ul', { class: 'rows sources' });
  const make = button('New data source', () => sourceForm(null, relist), { class: 'primary' });
  place.append(
    viewHeading('Data sources', make),
    el('p', { class: 'muted' }, 'Documents live in data sources, each with its own audience.'),
    list,
  );
  await relist();

  async function relist() {
    const sources = await readSources(signal);
    list.replaceChildren(...sources.map((one) => row(one, relist)));
  }
}

function row(one, again) {
  const isOurs = one.owner !== null; // the default one is nobody's
  const more = [one.owner && `owner ${one.owner}`, one.createdAt && when(one.createdAt)];
  return el('li', {},
    el('div', { class: 'what' },
      el('a', { class: 'name', href: toSource(one.id) }, el('bdi', {}, one.name)),
      el('span', { class: 'badge plain' }, one.visibility),
      el('span', {}, accessOf(one)),
      el('span', { class: 'muted' },
        [counted(one.documentCount, 'document'), ...more].filter(Boolean).join(' · '), ' · ',
        el('code', {}, one.id))),
    isOurs ? el('div', { class: 'actions' },
      button('Change', () => sourceForm(one, again), { 'aria-label': `Change ${one.name}` }),
      button('Delete', () => remove(one, again), { 'aria-label': `Delete ${one.name}` })) : null);
}

function remove(one, again) {
  const text = `Nobody finds “${one.name}” and its ${counted(one.documentCount, 'document')} from `
    + 'now on; this cannot be undone. Files in the folder or bucket of uploads stay there.';
  confirm('Delete this data source?', text, 'Delete', async () => {
    await call(`api/rag/sources/${encodeURIComponent(one.id)}`, { method: 'DELETE' });
    forget((upload) => upload.source === one.id);
    announce(`${one.name} is deleted.`);
    await again();
  });
}
