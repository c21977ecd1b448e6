/** The sentences that come closest, and those of the answer that were left out. */

import { bar, el } from './dom.js';
import { score } from './format.js';
import { drawn } from './markdown.js';
import { toDocument } from './places.js';
import { shortened } from './shortened.js';

const SHOWN = 4;

/** What the verdict and the answer rest on. */
export function evidence({ ground, answer }) {
  const against = answer?.sentences.filter((one) => one.against.length) ?? [];
  return el('div', {},
    ground.sentences.length ? el('h3', {}, 'The closest sentences') : null,
    ground.sentences.length
      ? shortened('ol', 'sentences', ground.sentences.map(sentence), SHOWN, 'sentences') : null,
    against.length ? el('h3', {}, 'What speaks against sentences of the answer') : null,
    against.length ? el('ul', { class: 'sentences' }, against.map(doubted)) : null);
}

function sentence(one) {
  return el('li', {},
    el('div', { class: 'text prose', dir: 'auto' }, drawn(one.text, undefined, 4)),
    el('p', { class: 'from' }, bar(one.closeness), `closeness ${score(one.closeness)}`, ' · ',
      el('a', { href: toDocument(one.documentId) }, el('bdi', {}, one.title))));
}

function doubted(one) {
  return el('li', {},
    el('p', { class: 'text', dir: 'auto' }, one.kept ? one.text : el('s', {}, one.text)),
    el('p', { class: 'from' }, one.kept ? 'Kept, but ' : 'Left out: ', one.against.join('; ')));
}
