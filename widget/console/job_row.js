/** One job, as it is seen. */

import { call } from './api.js';
import { button, el } from './dom.js';
import { counted, when } from './format.js';
import { isRunning } from './jobs_feed.js';
import { nameOf } from './known_sources.js';
import { toDocument } from './places.js';
import { loading } from './states.js';

const KINDS = { queued: 'plain', processing: 'plain', completed: 'good', failed: 'bad' };
const WORDS = {
  queued: 'waiting', processing: 'working', completed: 'done', failed: 'failed',
};
const RESULTS = {
  queued: 'waiting', processing: 'being read', created: 'added', updated: 'replaced',
  unchanged: 'the same as before', superseded: 'a newer version came first',
  cancelled: 'cancelled', failed: 'failed',
};

/** Keeps its elements, so that what is open stays open while the job moves on. */
export class JobRow {
  constructor(job, cancel) {
    this.badge = el('span');
    this.progress = el('progress', { 'aria-label': `Progress of ${job.name}` });
    this.numbers = el('span', { class: 'muted' });
    this.failure = el('p', { class: 'problem' });
    this.results = el('ul', { class: 'results' }, el('li', {}, loading()));
    this.more = el('details', { on: { toggle: () => this.read() } },
      el('summary', {}, 'What became of each document'), this.results);
    this.cancel = button('Cancel', () => this.stop(cancel), { 'aria-label': `Cancel ${job.name}` });
    this.element = el('li', {},
      el('div', { class: 'what' },
        el('bdi', { class: 'name' }, job.name), this.badge, this.numbers),
      el('div', { class: 'actions' }, this.cancel),
      this.progress, this.failure, this.more);
    this.update(job);
  }

  update(job) {
    const before = this.job;
    this.job = job;
    const { total, finished } = job.progress;
    if (before?.status === job.status && before.progress.finished === finished) return;
    this.badge.className = `badge ${KINDS[job.status]}`;
    this.badge.textContent = WORDS[job.status];
    this.progress.hidden = !isRunning(job);
    this.cancel.hidden = !isRunning(job);
    this.progress.max = total;
    this.progress.value = finished;
    this.numbers.textContent = [nameOf(job.dataSourceId), `${finished} of ${total} finished`,
      job.indexed && `${counted(job.indexed, 'document')} in ${counted(job.chunks, 'passage')}`,
      when(job.createdAt)].filter(Boolean).join(' · ');
    this.failure.textContent = job.failure?.message ?? '';
    if (this.more.open) this.read();
  }

  /** What became of its documents, once somebody wants to know. */
  async read() {
    if (!this.more.open) return;
    try {
      const { results } = await call(`api/rag/ingest/${this.job.jobId}`);
      this.results.replaceChildren(...results.map(result));
    } catch (error) {
      this.results.replaceChildren(el('li', { class: 'problem' }, error.message));
    }
  }

  async stop(cancel) {
    this.cancel.disabled = true;
    try {
      this.update(await cancel(this.job));
    } catch (error) {
      this.failure.textContent = error.message;
    }
    this.cancel.disabled = false;
  }
}

function result(one) {
  const name = el('bdi', {}, one.name);
  const isThere = one.documentId && one.chunkCount;
  return el('li', {},
    isThere ? el('a', { href: toDocument(one.documentId) }, name) : name, ' ',
    el('span', { class: one.status === 'failed' ? 'problem' : 'muted' },
      RESULTS[one.status] ?? one.status,
      isThere ? `, ${counted(one.chunkCount, 'passage')}` : ''),
    one.failure ? el('p', { class: 'problem' }, one.failure.message) : null,
    (one.warnings ?? []).map((warning) => el('p', { class: 'warning' }, warning.message)));
}
