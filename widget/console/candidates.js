/** Every passage that was ranked, with its scores as bars and what became of it. */

import { bar, el } from './dom.js';
import { FATES, fates } from './fates.js';
import { counted, score } from './format.js';
import { toDocument } from './places.js';
import { shortened } from './shortened.js';

const SHOWN = 8;
const KINDS = {
  cited: 'good', used: 'plain', dropped: 'bad', repeated: 'middling', 'no-room': 'middling',
  beyond: 'faint', below: 'faint', out: 'faint',
};

/** The candidates in their final order. */
export function candidates(told) {
  const all = fates(told);
  const ends = Object.keys(FATES).map((fate) => [fate, all.filter((one) => one.fate === fate)]);
  const unread = told.explain.retrieve.candidates.length - all.length;
  if (!all.length) return null;
  const mostFused = Math.max(...all.map((one) => one.fused ?? 0), 1e-9);
  return el('div', {},
    el('h3', {}, 'What became of each passage'),
    el('p', { class: 'ends' }, ends.filter(([, some]) => some.length).map(([fate, some]) => [
      el('span', { class: `badge ${KINDS[fate]}` }, `${some.length} ${FATES[fate]}`), ' '])),
    shortened('ol', 'candidates', all.map((one) => candidate(one, mostFused)), SHOWN, 'passages'),
    unread > 0 ? el('p', { class: 'hint' },
      `${counted(unread, 'more passage')} ${unread === 1 ? 'was' : 'were'} found and not read: `
      + 'not among the best.') : null);
}

function candidate(one, mostFused) {
  const number = one.chunk.split('.').at(-1);
  const more = one.of ? ` (passage ${Number(one.of.split('.').at(-1)) + 1})` : '';
  return el('li', { class: one.fate },
    el('div', { class: 'what' },
      el('a', { href: toDocument(one.documentId) }, el('bdi', {}, one.title)),
      el('span', { class: 'muted' }, `passage ${Number(number) + 1}`),
      el('span', { class: `badge ${KINDS[one.fate]}` },
        one.n ? `[${one.n}] ${FATES[one.fate]}` : `${FATES[one.fate]}${more}`)),
    el('dl', { class: 'scores' },
      part('meaning', one.cosine, one.cosine),
      part('words', one.words, one.words),
      part('fused', one.fused, one.fused / mostFused),
      part('final', one.score, one.score, 'final')));
}

function part(name, value, share, kind = '') {
  const known = value !== undefined;
  return el('div', {}, el('dt', {}, name),
    el('dd', {}, bar(known ? share : 0, kind), known ? score(value) : '–'));
}
