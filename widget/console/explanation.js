/** How an answer came about, drawn. */

import { candidates } from './candidates.js';
import { bar, el, svg } from './dom.js';
import { evidence } from './evidence.js';
import { stages } from './fates.js';
import { count, counted, milliseconds } from './format.js';
import { verdict } from './verdict.js';

/** The stages, the verdict, the evidence and the candidates of one run. */
export function explanation(told) {
  const { retrieve, milliseconds: took } = told.explain;
  const whole = Object.values(took).reduce((sum, one) => sum + one, 0);
  return el('section', { class: 'explanation', 'aria-labelledby': 'explanation' },
    el('h2', { id: 'explanation' }, 'How this came about'),
    el('p', { class: 'muted' }, `It took ${milliseconds(whole)}.`,
      retrieve.hiddenDocuments
        ? ` ${counted(retrieve.hiddenDocuments, 'document')} of the org are in data sources that `
          + 'you may not query, and were not looked at.' : ''),
    row(stages(told)),
    verdict(told.explain.ground),
    evidence(told.explain),
    words(retrieve.terms),
    candidates(told));
}

/** Each stage with how many passages came through it. */
function row(all) {
  const most = Math.max(1, ...all.map((one) => one.many));
  return el('ol', { class: 'stages', 'aria-label': 'Stages' }, all.map((one) => el('li', {},
    el('span', { class: 'name' }, one.name),
    el('span', { class: 'many' }, count(one.many)),
    column(one.many / most),
    el('span', { class: 'note' }, one.note),
    el('span', { class: 'took' }, one.took === undefined ? '' : milliseconds(one.took)))));
}

/** A funnel's slice: as high as the share that is left. */
function column(share) {
  const height = share ? Math.max(3, Math.round(40 * Math.sqrt(share))) : 1;
  return svg('svg', { viewBox: '0 0 100 40', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('rect', { x: 0, y: 40 - height, width: 100, height, rx: 2 }));
}

/** The words that were looked for, by how rare and therefore telling they are. */
function words(terms) {
  const all = Object.entries(terms).sort((one, other) => other[1] - one[1]);
  if (!all.length) return null;
  const most = Math.max(...all.map(([, weight]) => weight), 1e-9);
  return el('div', {}, el('h3', {}, 'The words that were looked for'),
    el('ul', { class: 'terms' }, all.map(([term, weight]) => el('li', {},
      el('bdi', {}, term), bar(weight / most),
      el('span', { class: 'muted' }, weight ? weight.toFixed(1) : 'in no document')))),
    el('p', { class: 'hint' }, 'Their stems, with how much each tells: the rarer, the more.'));
}
