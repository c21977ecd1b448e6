/** Try a question: the answer with its sources, and how it came about. */

import { adding } from './adding.js';
import { announce } from './announce.js';
import { answer } from './answer.js';
import { call } from './api.js';
import { calmly } from './calmly.js';
import { button, el, field } from './dom.js';
import { explanation } from './explanation.js';
import { counted } from './format.js';
import { documentCount, fillChoice, readSources } from './known_sources.js';
import { latest } from './latest.js';
import { OUTCOMES, REFUSED } from './outcomes.js';
import { failed, loading, viewHeading } from './states.js';
import { uploads } from './uploads.js';

const INSUFFICIENT = 'INSUFFICIENT_CONTEXT';

/** The view. */
export async function show(place, { params }, signal) {
  const about = params.get('document');
  const result = el('div', { class: 'result' });
  const query = el('textarea', {
    rows: '2', required: true, name: 'query', maxlength: '4000', dir: 'auto',
    placeholder: 'What may a hotel room cost?',
    on: { keydown: submitOnEnter },
  });
  query.value = params.get('q') ?? '';
  const among = el('select', { name: 'source' });
  const most = el('input', { type: 'number', name: 'topK', min: '1', max: '100', value: '10' });
  const strict = el('input', { type: 'checkbox', name: 'strict', id: 'strict' });
  const form = el('form', { class: 'question', on: { submit: ask } },
    field('Your question', query),
    about && only(params.get('title') || about),
    el('div', { class: 'controls' },
      about ? null : field('Search in', among),
      field('Passages (topK)', most),
      el('div', { class: 'field check' }, strict,
        el('label', { for: 'strict' }, 'Strict: refuse what the documents do not answer')),
      el('button', { class: 'primary' }, 'Ask')));

  const turn = latest(signal);
  const files = el('div');
  place.append(viewHeading('Ask your documents'), files, form, result);
  if (about) query.focus(); // before anything is waited for: people type at once
  await refresh();
  // What fails here is told by the banner, and tried again with the next file or view.
  uploads.addEventListener('ready', calmly(() => refresh().catch(() => null)), { signal });

  async function refresh() {
    await readSources(signal);
    fillChoice(among, among.value, 'All data sources');
    // Whoever has just been handed the picker would lose it.
    if (!files.contains(document.activeElement)) files.replaceChildren(adding(!documentCount()));
  }

  async function ask(event) {
    event.preventDefault();
    const wanted = turn(); // who asks again wants that answered alone
    const body = {
      query: query.value,
      explain: true,
      topK: Number(most.value),
      strictMode: strict.checked,
      filters: about ? [{ field: 'document', op: 'eq', value: about }] : undefined,
      dataSources: among.value ? [among.value] : undefined,
    };
    remember(query.value);
    result.replaceChildren(loading('Looking through the documents…'));
    try {
      const { told, refusal } = await answered(body, wanted);
      result.replaceChildren(answer(told, refusal), explanation(told));
      result.firstElementChild.scrollIntoView({ block: 'nearest' });
      const [words] = refusal ? REFUSED : OUTCOMES[told.grounding.outcome];
      announce(`${words}, with ${counted(told.citationsUsed.length, 'citation')}.`);
    } catch (error) {
      if (!wanted.aborted) result.replaceChildren(failed(error, () => form.requestSubmit()));
    }
  }

  function submitOnEnter(event) {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  }
}

/** The answer; of one that strict mode has refused, the refusal, and how that came about. */
async function answered(body, signal) {
  try {
    return { told: await call('api/rag/query', { method: 'POST', body, signal }), refusal: null };
  } catch (error) {
    if (error.code !== INSUFFICIENT) throw error;
    const { explain } = error.details;
    return {
      told: { explain, documents: [], citationsUsed: [], warnings: [] }, refusal: error.message,
    };
  }
}

function only(title) {
  return el('p', { class: 'chip' }, 'Only in ', el('bdi', {}, title), ' ',
    button('Ask all documents', () => { location.hash = '#/ask'; }, { class: 'quiet' }));
}

/** A reload shows the same question again, without asking it. */
function remember(text) {
  const [path, query = ''] = location.hash.split('?');
  const params = new URLSearchParams(query);
  params.set('q', text);
  history.replaceState(null, '', `${path || '#/ask'}?${params}`);
}
