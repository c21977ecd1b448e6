/** Whether the documents hold the answer: the score on its scale, and what it is made of. */

import { bar, el } from './dom.js';
import { score } from './format.js';
import { because } from './reasons.js';

const TITLES = {
  answer: 'Why it answered',
  partial: 'Why it answered in part',
  abstain: 'Why it did not answer',
};
const FEATURES = {
  closeness: 'Closeness of the best sentence to the question',
  alone: 'The same, when the sentence is read alone',
  coverage: 'Words of the question that its passage holds',
  names: 'Names and numbers of the question that it holds',
};

/** The verdict in words and on a scale. */
export function verdict(ground) {
  const made = Object.entries(FEATURES).filter(([name]) => name in ground.features);
  return el('div', { class: 'why' },
    el('h3', {}, TITLES[ground.outcome]),
    el('p', {}, because(ground)),
    ground.gaps.length
      ? el('ul', { class: 'gaps', 'aria-label': 'What is missing' },
        ground.gaps.map((gap) => el('li', { dir: 'auto' }, gap))) : null,
    scale(ground),
    made.length ? el('dl', { class: 'features' }, made.map(([name, words]) => el('div', {},
      el('dt', {}, words),
      el('dd', {}, bar(ground.features[name]), score(ground.features[name]))))) : null);
}

/** From 0 to 1, with the thresholds between what is refused and what is answered. */
function scale({ score: value, thresholds: { hopeless, doubtful, good } }) {
  const zones = [
    [0, hopeless, 'no', 'refused'],
    [hopeless, doubtful, 'doubtful', 'in part, or refused if something is in no document'],
    [doubtful, good, 'close', 'in part'],
    [good, 1, 'yes', 'answered, if nothing is missing'],
  ];
  const label = `Grounding score ${score(value)} of 1. `
    + `${zones.map(([from, , , words]) => `From ${score(from)}: ${words}.`).join(' ')}`;
  return el('div', { class: 'scale' },
    el('div', { class: 'zones', role: 'img', 'aria-label': label },
      zones.map(([from, to, kind]) => zone(from, to, kind)), pin(value)),
    el('ul', { class: 'legend' }, zones.map(([from, to, kind, words]) => el('li', {},
      el('span', { class: `swatch ${kind}`, 'aria-hidden': 'true' }),
      `${score(from)} – ${score(to)} ${words}`))));
}

function zone(from, to, kind) {
  const made = el('span', { class: `zone ${kind}` });
  made.style.inlineSize = `${100 * (to - from)}%`;
  return made;
}

function pin(value) {
  const made = el('span', { class: 'pin' }, el('b', {}, score(value)));
  made.style.insetInlineStart = `${100 * value}%`;
  if (value < 0.1) made.classList.add('at-start');
  if (value > 0.9) made.classList.add('at-end');
  return made;
}
