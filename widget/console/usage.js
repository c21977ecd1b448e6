/** What the org has asked and added day by day, what it has stored, and what it may. */

import { call } from './api.js';
import { chart } from './chart.js';
import { el } from './dom.js';
import { bytes, count, counted, date } from './format.js';
import { viewHeading } from './states.js';

const DAYS = 30;
const COLUMNS = {
  questions: 'Questions', abstained: 'Not answered', searches: 'Searches',
  ingested: 'Documents added', failed: 'Documents failed', tokens: 'Tokens of models',
};

/** The view. */
export async function show(place, _, signal) {
  place.append(viewHeading('Usage and limits'));
  const { days, storage, limits } = await call(`api/rag/usage?days=${DAYS}`, { signal });
  place.append(
    el('h2', {}, `Questions of the last ${days.length} days`),
    el('p', { class: 'muted' }, 'Of everybody: by the API, in this console, and on your sites. '
      + 'What the visitors of your sites were not answered is listed in Feedback.'),
    totals(days),
    chart(days),
    table(days),
    el('h2', {}, 'Storage'),
    stored(storage),
    el('h2', {}, 'Limits'),
    allowed(limits),
  );
}

function totals(days) {
  const sum = (name) => days.reduce((all, day) => all + day[name], 0);
  return el('dl', { class: 'totals' }, Object.entries(COLUMNS).map(([name, words]) => el('div', {},
    el('dt', {}, words), el('dd', {}, count(sum(name))))));
}

function table(days) {
  const head = el('tr', {}, el('th', { scope: 'col' }, 'Day'),
    Object.values(COLUMNS).map((words) => el('th', { scope: 'col' }, words)));
  const rows = [...days].reverse().map((day) => el('tr', {},
    el('th', { scope: 'row' }, date(day.date)),
    Object.keys(COLUMNS).map((name) => el('td', {}, count(day[name])))));
  return el('details', {}, el('summary', {}, 'The same as a table'),
    el('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'Usage by day' },
      el('table', {}, el('caption', { class: 'unseen' }, 'Usage by day, the latest first'),
        el('thead', {}, head), el('tbody', {}, rows))));
}

function stored({ usedBytes, quotaBytes, documents }) {
  const words = `${bytes(usedBytes)} of ${bytes(quotaBytes)} of text, in `
    + `${counted(documents, 'document')}`;
  const meter = el('meter', {
    min: '0', max: quotaBytes, high: quotaBytes * 0.9, value: usedBytes, 'aria-label': 'Storage',
  });
  return el('div', { class: 'stored' }, meter, el('p', {}, words));
}

function allowed(limits) {
  const tiers = Object.entries(limits.perMinute).map(([tier, many]) => [
    `Questions a minute, ${tier}`, many === null ? 'any number' : count(many)]);
  const all = [
    ...tiers,
    ['Largest file', bytes(limits.largestFileBytes)],
    ['Longest file', `${count(limits.longestUploadTokens)} tokens of text`],
    ['Longest text sent at once', `${count(limits.longestTextTokens)} tokens`],
  ];
  return el('dl', { class: 'facts' },
    all.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}
