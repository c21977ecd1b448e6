/** What visitors thought of the answers, and what they were not answered. */

import { call, pages } from './api.js';
import { el } from './dom.js';
import { when } from './format.js';
import { OUTCOMES } from './outcomes.js';
import { empty, paged, viewHeading } from './states.js';

const ENOUGH = 20;
const KINDS = {
  unanswered: ['Unanswered', (one) => one.outcome === 'abstain'],
  bad: ['Not helpful', (one) => one.helpful === false],
  good: ['Helpful', (one) => one.helpful === true],
  all: ['All', () => true],
};
const NONE = {
  unanswered: ['No question of a visitor was left unanswered',
    'What the visitors of your sites ask and your documents lack is listed here for 30 days.'],
  bad: ['No answer was called unhelpful', 'Thumbs down in the widget, with comments, come here.'],
  good: ['No answer was called helpful yet', 'Thumbs up in the widget come here.'],
  all: ['No feedback yet',
    'Put the widget on a page (see Sites): what its visitors think of answers comes here.'],
};
const RATINGS = {
  true: ['Helpful', 'good'], false: ['Not helpful', 'bad'], null: ['Nobody said', 'faint'],
};

/** The view. */
export async function show(place, { params }, signal) {
  const chosen = Object.hasOwn(KINDS, params.get('show')) ? params.get('show') : 'unanswered';
  const [, wanted] = KINDS[chosen];
  const list = el('ul', { class: 'rows feedback' });
  place.append(
    viewHeading('Feedback'),
    el('p', { class: 'muted' }, 'From the visitors of your sites alone. Usage counts everybody’s '
      + 'questions, also those that are asked in this console.'),
    tabs(chosen),
    list,
  );
  const { sites } = await call('api/v1/sites', { signal });
  const names = new Map(sites.map((one) => [one.id, one.name]));
  const turns = only(wanted, pages('api/v1/feedback?limit=100', signal));
  const take = (page) => list.append(...page.feedback.map((one) => row(one, names)));
  const { place: more, add } = paged(take, turns, signal);
  await add();
  if (list.children.length) list.after(more);
  else list.replaceWith(empty(...NONE[chosen]));
}

/** As many pages at once as it takes to have enough that are wanted, and of those nothing else. */
function only(wanted, turns) {
  let feedback = []; // outlives a page that fails: those before it are not read again
  return {
    async next() {
      let page;
      do {
        page = await turns.next();
        feedback.push(...page.feedback.filter(wanted));
      } while (page.next && feedback.length < ENOUGH);
      const enough = feedback;
      feedback = [];
      return { feedback: enough, next: page.next };
    },
  };
}

function tabs(chosen) {
  return el('nav', { class: 'filters', 'aria-label': 'Kinds of feedback' },
    Object.entries(KINDS).map(([kind, [words]]) => el('a', {
      href: `#/feedback?show=${kind}`, 'aria-current': kind === chosen ? 'true' : null,
    }, words)));
}

function row(one, names) {
  const [words, kind] = OUTCOMES[one.outcome];
  const [rating, liked] = RATINGS[one.helpful];
  return el('li', {},
    el('div', { class: 'what' },
      el('bdi', { class: 'name' }, one.question),
      el('span', { class: `badge ${kind}` }, words),
      el('span', { class: `badge ${liked}` }, rating),
      el('span', { class: 'muted' }, when(one.created_at), ' · ', names.get(one.site) ?? one.site,
        one.page_url ? [' · ', el('bdi', {}, one.page_url)] : '')),
    one.comment ? el('blockquote', { dir: 'auto' }, one.comment) : null,
    one.sources.length ? el('p', { class: 'muted' }, 'From ',
      one.sources.map((source) => source.title).join(', ')) : null,
    el('p', { class: 'links' },
      el('a', { href: `#/ask?${new URLSearchParams({ q: one.question })}` }, 'Try this question')));
}
