/** Questions day by day, as bars: what was answered, and on top of it what was not. */

import { el, svg } from './dom.js';
import { counted, date } from './format.js';

const WIDTH = 600;
const HEIGHT = 140;
const GAP = 3;

/** The chart; its numbers are in a table, too. */
export function chart(days) {
  const most = Math.max(1, ...days.map((day) => day.questions));
  const all = days.reduce((sum, day) => sum + day.questions, 0);
  const label = `${counted(all, 'question')} in ${counted(days.length, 'day')}, `
    + `at most ${most} a day.`;
  const step = WIDTH / days.length;
  const bars = days.map((day, at) => column(day, at * step, step - GAP, most));
  return el('figure', { class: 'chart' },
    el('div', { class: 'plot' },
      el('span', { class: 'most', 'aria-hidden': 'true' }, String(most)),
      svg('svg', {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img',
        'aria-label': label,
      }, bars),
      el('div', { class: 'axis', 'aria-hidden': 'true' },
        [days[0], days.at(Math.floor(days.length / 2)), days.at(-1)].map((day) => el('span', {},
          day ? date(day.date) : '')))),
    el('figcaption', {}, el('span', { class: 'swatch yes', 'aria-hidden': 'true' }), 'answered ',
      el('span', { class: 'swatch no', 'aria-hidden': 'true' }), 'not answered'));
}

function column({ date: day, questions, abstained }, x, width, most) {
  const scale = (HEIGHT - 2) / most;
  const answered = (questions - abstained) * scale;
  const rest = abstained * scale;
  const part = (kind, y, height) => svg('rect', { class: kind, x, y, width, height });
  return svg('g', {},
    svg('title', {}, `${date(day)}: ${counted(questions, 'question')}, `
      + `${abstained} not answered`),
    part('ground', HEIGHT - 2, 2),
    part('yes', HEIGHT - answered, answered),
    part('no', HEIGHT - answered - rest, rest));
}
