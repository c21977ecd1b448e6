/** An answer whose numbers lead to the words that support it. */

import { el, newId, outward } from './dom.js';
import { score } from './format.js';
import { nameOf } from './known_sources.js';
import { toDocument } from './places.js';

const MARKER = /\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]/g;
// Who writes where no language model does.
const QUOTING = 'extractive';
const OUTCOMES = {
  answer: ['Answered', 'good'],
  partial: ['Answered in part', 'middling'],
  abstain: ['Not answered', 'bad'],
};

/** The answer, its citations and warnings; `refusal` where strict mode has refused it. */
export function answer(told, refusal) {
  const cards = told.citationsUsed.map(citation);
  const [words, kind] = refusal ? ['Refused by strict mode', 'bad']
    : OUTCOMES[told.grounding.outcome];
  const confidence = refusal ? null
    : el('span', { class: 'muted' }, `confidence ${score(told.confidence)}`);
  const by = cards.length ? el('span', { class: 'muted' }, writer(told.metadata.model)) : null;
  return el('section', { class: 'answer', 'aria-label': 'Answer' },
    el('p', { class: 'verdict' }, el('strong', { class: `badge ${kind}` }, words), confidence, by),
    el('div', { class: 'said', dir: 'auto' },
      refusal ?? pieces(told.answer, told.citationsUsed, cards)),
    told.warnings.map((one) => el('p', { class: 'warning' }, one.message)),
    cards.length
      ? el('div', {}, el('h2', {}, 'Sources'), el('ol', { class: 'citations' }, cards)) : null);
}

function writer(model) {
  return model === QUOTING ? 'quoted word for word' : `written by ${model}`;
}

/** The text, in which every marker leads to its citation. The API counts characters as Unicode. */
function pieces(text, citations, cards) {
  const characters = [...text];
  const said = [];
  let at = 0;
  const cut = (start, end) => characters.slice(start, end).join('');
  const inOrder = citations.map((one, index) => ({ ...one, card: cards[index] }))
    .sort((one, other) => one.answerStart - other.answerStart);
  while (at < characters.length) {
    const here = inOrder.filter((one) => one.answerStart <= at && at < one.answerEnd);
    const next = inOrder.flatMap((one) => [one.answerStart, one.answerEnd])
      .filter((edge) => edge > at);
    const end = Math.min(characters.length, ...next);
    said.push(...(here.length ? marked(cut(at, end), here) : [cut(at, end)]));
    at = end;
  }
  return said;
}

function marked(text, citations) {
  const said = [];
  let at = 0;
  for (const found of text.matchAll(MARKER)) {
    said.push(text.slice(at, found.index));
    for (const n of found[0].match(/\d+/g).map(Number)) {
      const one = citations.find((citation) => citation.n === n);
      said.push(one ? marker(n, one) : `[${n}]`);
    }
    at = found.index + found[0].length;
  }
  said.push(text.slice(at));
  return said;
}

function marker(n, { card, title }) {
  const label = `Source ${n}: ${title}`;
  const click = () => {
    card.scrollIntoView({ block: 'nearest' });
    card.focus();
  };
  return el('button', { type: 'button', class: 'marker', 'aria-label': label, on: { click } },
    String(n));
}

function citation(one) {
  const section = one.section === one.title ? '' : one.section;
  const where = [one.page && `page ${one.page}`, section, nameOf(one.dataSourceId)];
  const title = el('bdi', {}, one.title);
  const id = newId('citation');
  return el('li', { class: 'citation', tabindex: '-1', 'aria-labelledby': id },
    el('p', { id }, el('span', { class: 'number' }, String(one.n)), ' ', el('b', {}, title), ' ',
      el('span', { class: 'muted' }, where.filter(Boolean).join(' · '))),
    el('blockquote', { dir: 'auto' }, one.quote),
    el('p', { class: 'links' },
      el('a', { href: toDocument(one.documentId, one) }, 'Read these words in the document'),
      one.url && outward(one.url, 'Open the source')));
}
