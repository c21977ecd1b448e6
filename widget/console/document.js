/** One document: what is known of it, and its text, with quoted words marked. */

import { call } from './api.js';
import { removal, tags } from './documents.js';
import { el, outward } from './dom.js';
import { counted, placeOf, when } from './format.js';
import { nameOf, readSources } from './known_sources.js';
import { drawn } from './markdown.js';
import { askAbout, toSource } from './places.js';
import { viewHeading } from './states.js';

/** The view. */
export async function show(place, { id, params }, signal) {
  const [one] = await Promise.all([
    call(`api/rag/documents/${encodeURIComponent(id)}`, { signal }),
    readSources(signal),
  ]);
  const ask = el('a', { class: 'button primary', href: askAbout(id, one.title) }, 'Ask about it');
  const remove = removal(one, () => { location.hash = '#/documents'; });
  const text = written(one.text, params);
  place.append(
    el('p', { class: 'back' }, el('a', { href: '#/documents' }, 'Documents')),
    viewHeading(el('bdi', {}, one.title), ask, remove),
    facts(one),
    el('h2', {}, 'Text'),
    text,
  );
  return text.querySelector('mark');
}

function facts(one) {
  const known = [
    ['Data source', el('a', { href: toSource(one.dataSourceId) }, nameOf(one.dataSourceId))],
    ['Path', el('bdi', {}, one.path)],
    ['Address', one.url && outward(one.url)],
    ['Tags', tags(one.tags)],
    ['Length', `${counted([...one.text].length, 'character')} in `
      + `${counted(one.chunkCount, 'passage')}`],
    ['Added', when(one.createdAt)],
    ['Changed', one.updatedAt === one.createdAt ? null : when(one.updatedAt)],
    ...Object.entries(one.metadata).map(([name, value]) => [name, el('bdi', {}, told(value))]),
  ];
  return el('dl', { class: 'facts' }, known.filter(([, value]) => value)
    .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

function told(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The text; the words that an address names are marked, and come into view. */
function written(text, params) {
  const [from, to] = ['from', 'to'].map((name) => placeOf(text, Number(params.get(name))));
  return el('div', { class: 'text document prose', dir: 'auto', tabindex: '0', role: 'region',
    'aria-label': 'Text of the document' }, drawn(text, words));

  function words(start, end) {
    const [first, last] = [Math.max(start, from), Math.min(end, to)];
    if (first >= last) return text.slice(start, end);
    return [text.slice(start, first), el('mark', { tabindex: '-1' }, text.slice(first, last)),
      text.slice(last, end)];
  }
}
