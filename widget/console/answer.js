/** An answer whose numbers lead to the words that support it. */

import { el, newId, outward } from './dom.js';
import { placeOf, score } from './format.js';
import { nameOf } from './known_sources.js';
import { drawn } from './markdown.js';
import { OUTCOMES, REFUSED } from './outcomes.js';
import { toDocument } from './places.js';

const MARKER = /\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]/g;
// Who writes where no language model does.
const QUOTING = 'extractive';

/** The answer, its citations and warnings; `refusal` where strict mode has refused it. */
export function answer(told, refusal) {
  const quotes = told.citationsUsed.map((one) => ({ ...one, element: quoted(one) }));
  const numbers = [...new Set(quotes.map((one) => one.n))].sort((one, other) => one - other);
  const sources = numbers.map((n) => source(n, quotes.filter((one) => one.n === n)));
  const [words, kind] = refusal ? REFUSED : OUTCOMES[told.grounding.outcome];
  const confidence = refusal ? null
    : el('span', { class: 'muted' }, `confidence ${score(told.confidence)}`);
  const by = quotes.length ? el('span', { class: 'muted' }, writer(told.metadata.model)) : null;
  return el('section', { class: 'answer', 'aria-label': 'Answer' },
    el('p', { class: 'verdict' }, el('strong', { class: `badge ${kind}` }, words), confidence, by),
    el('div', { class: 'said prose', dir: 'auto' },
      refusal ?? drawn(told.answer, markers(told.answer, quotes), 2)),
    told.warnings.map((one) => el('p', { class: 'warning' }, one.message)),
    quotes.length
      ? el('div', {}, el('h2', {}, 'Sources'), el('ol', { class: 'citations' }, sources)) : null);
}

function writer(model) {
  return model === QUOTING ? 'quoted word for word' : `written by ${model}`;
}

/** What draws the answer's words, so that every marker leads to its quote. */
function markers(text, quotes) {
  const cited = quotes.map((one) => ({
    ...one, from: placeOf(text, one.answerStart), to: placeOf(text, one.answerEnd),
  }));
  return (start, end, isCode) => {
    const said = [];
    let at = start;
    for (const found of isCode ? [] : text.slice(start, end).matchAll(MARKER)) {
      const from = start + found.index;
      said.push(text.slice(at, from));
      for (const n of found[0].match(/\d+/g).map(Number)) {
        const one = cited.find((quote) => quote.n === n && quote.from <= from && from < quote.to);
        said.push(one ? marker(one) : `[${n}]`);
      }
      at = from + found[0].length;
    }
    said.push(text.slice(at, end));
    return said;
  };
}

function marker({ n, title, element }) {
  const label = `Source ${n}: ${title}`;
  const click = () => {
    element.scrollIntoView({ block: 'nearest' });
    element.focus();
  };
  return el('button', { type: 'button', class: 'marker', 'aria-label': label, on: { click } },
    String(n));
}

/** A source once, with all that is quoted of it. */
function source(n, quotes) {
  const [{ title, url, dataSourceId }] = quotes;
  const id = newId('source');
  return el('li', { class: 'source', 'aria-labelledby': id },
    el('p', { id }, el('span', { class: 'number' }, String(n)), ' ',
      el('b', {}, el('bdi', {}, title)), ' ',
      el('span', { class: 'muted' }, nameOf(dataSourceId)), ' ',
      url && el('span', { class: 'links' }, outward(url, 'Open the source'))),
    quotes.map((one) => one.element));
}

function quoted(one) {
  const section = one.section === one.title ? '' : one.section;
  const where = [one.page && `page ${one.page}`, section].filter(Boolean).join(' · ');
  return el('div', { class: 'quote', tabindex: '-1', role: 'group',
    'aria-label': `Quote from source ${one.n}` },
  el('blockquote', { class: 'prose', dir: 'auto' }, drawn(one.quote)),
  el('p', { class: 'links' },
    el('a', { href: toDocument(one.documentId, one) }, 'Read these words in the document'),
    where && el('span', { class: 'muted' }, where)));
}
