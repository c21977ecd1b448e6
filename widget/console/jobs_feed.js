/** The latest jobs, read again and again for whoever watches: often while something runs, seldom
 * otherwise, and not at all while nobody looks at the page. */

import { call } from './api.js';

const BUSY_MS = 1000;
const IDLE_MS = 10_000;
const LATEST = 50;

const watchers = new Set();
let timer = null;
let reading = false;

/** Whether a job is not done yet. */
export function isRunning(job) {
  return job.status === 'queued' || job.status === 'processing';
}

/** Be told of the latest jobs, now and whenever they were read, until the signal. */
export function watchJobs(watcher, signal) {
  watchers.add(watcher);
  signal?.addEventListener('abort', () => watchers.delete(watcher));
  readSoon();
}

/** Stop telling. */
export function unwatchJobs(watcher) {
  watchers.delete(watcher);
}

/** Read at once: something has just begun. */
export function readSoon() {
  clearTimeout(timer);
  if (!reading) read();
}

async function read() {
  if (!watchers.size || document.hidden) return;
  reading = true;
  let wait = IDLE_MS;
  try {
    const page = await call(`api/rag/ingest?limit=${LATEST}`);
    for (const watcher of [...watchers]) watcher(page);
    if (page.jobs.some(isRunning)) wait = BUSY_MS;
  } catch (error) {
    // Who is not signed in is asked to; everyone else sees it mend itself.
    wait = error.status === 401 ? null : BUSY_MS * 3;
  }
  reading = false;
  if (wait !== null) timer = setTimeout(read, wait);
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) readSoon();
});
