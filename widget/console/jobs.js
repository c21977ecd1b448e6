/** What happens to files and documents on their way, as it happens. */

import { announce } from './announce.js';
import { call, pages } from './api.js';
import { el } from './dom.js';
import { JobRow } from './job_row.js';
import { isRunning, watchJobs } from './jobs_feed.js';
import { readSources } from './known_sources.js';
import { empty, loading, paged, viewHeading } from './states.js';

// How many that are no longer among the latest are looked at, each time.
const FOLLOWED = 3;

/** The view. */
export async function show(place, _, signal) {
  const list = el('ul', { class: 'rows jobs' });
  const older = el('ul', { class: 'rows jobs' });
  const waiting = loading();
  const more = el('div');
  place.append(viewHeading('Jobs'), waiting, list, older, more);
  const rows = new Map();
  await readSources(signal);
  watchJobs(update, signal);

  function update(page) {
    waiting.remove();
    if (page.jobs.length) place.querySelector('.empty')?.remove();
    else if (!place.querySelector('.empty')) list.before(none());
    for (const job of [...page.jobs].reverse()) {
      const row = rows.get(job.jobId);
      if (row) tell(row, job);
      else {
        rows.set(job.jobId, new JobRow(job, cancel));
        list.prepend(rows.get(job.jobId).element);
      }
    }
    if (page.next && !more.children.length) more.append(earlier(page.next));
    const listed = new Set(page.jobs.map((job) => job.jobId));
    const beyond = [...rows.values()].filter(({ job }) => isRunning(job) && !listed.has(job.jobId));
    // Those that came first are done first.
    for (const row of beyond.slice(0, FOLLOWED)) follow(row);
  }

  async function follow(row) {
    const job = await call(`api/rag/ingest/${row.job.jobId}`, { signal }).catch(() => row.job);
    tell(row, job);
  }

  function tell(row, job) {
    if (isRunning(row.job) && !isRunning(job)) announce(`${job.name}: ${job.status}.`);
    row.update(job);
  }

  function earlier(after) {
    const turns = pages(`api/rag/ingest?limit=50&after=${encodeURIComponent(after)}`, signal);
    const take = (page) => older.append(
      ...page.jobs.map((job) => new JobRow(job, cancel).element));
    return paged(take, turns, signal).place;
  }
}

async function cancel(job) {
  return call(`api/rag/ingest/${job.jobId}`, { method: 'DELETE' });
}

function none() {
  return empty('Nothing has been added yet',
    'Every file that you drop here becomes a job, which tells what became of it.');
}
