/** The files that were added since the page was opened, above every view. */

import { announce } from './announce.js';
import { button, el } from './dom.js';
import { counted } from './format.js';
import { unwatchJobs, watchJobs, readSoon } from './jobs_feed.js';
import { Upload } from './upload.js';
import { UploadRow } from './upload_row.js';

const AT_ONCE = 3;

const section = document.getElementById('uploads');
const list = el('ul', { class: 'rows' });
const heading = el('h2', { id: 'uploads-heading' });
const clear = button('Clear the list', clearDone, { class: 'quiet' });
section.append(el('div', { class: 'heading' }, heading, clear), list);

const rows = new Map();

/** Tells `ready` when a file can be found. */
export const uploads = new EventTarget();

/** Send files, with the names that they shall have, to a data source. */
export function add(files, source) {
  for (const { file, name } of files) list.append(begun(file, name, source).element);
  section.hidden = !rows.size;
  announce(`${counted(files.length, 'file')} added.`);
  next();
}

/** Take those from the list whose documents are deleted. */
export function forget(isGone) {
  remove((upload) => upload.state === 'ready' && isGone(upload));
  summarise();
}

function begun(file, name, source) {
  const upload = new Upload(file, name, source, changed);
  const row = new UploadRow(upload, again);
  rows.set(upload, row);
  return row;
}

/** From the start, in the same place: nothing of the first try can reach the second. */
function again(upload) {
  const row = begun(upload.file, upload.name, upload.source);
  rows.get(upload).element.replaceWith(row.element);
  rows.delete(upload);
  row.cancel.focus();
  next();
}

function next() {
  const all = [...rows.keys()];
  const sending = all.filter((one) => one.state === 'sending').length;
  const waiting = all.filter((one) => one.state === 'waiting');
  for (const upload of waiting.slice(0, Math.max(0, AT_ONCE - sending))) upload.send().then(next);
  summarise();
}

function changed(upload) {
  rows.get(upload)?.update();
  if (upload.state === 'reading') watchJobs(follow);
  if (upload.state === 'ready') {
    announce(`${upload.name} can be asked about.`);
    uploads.dispatchEvent(new Event('ready'));
  }
  if (upload.state === 'failed') announce(`${upload.name} failed. ${upload.problem}`);
  summarise();
}

function follow({ jobs }) {
  const reading = [...rows.keys()].filter((one) => one.state === 'reading');
  if (!reading.length) return unwatchJobs(follow);
  const listed = new Set(jobs.map((job) => job.jobId));
  const beyond = reading.filter((one) => !listed.has(one.job));
  // Of many, those that were sent first are done first: the others may wait.
  const due = reading.filter((one) => listed.has(one.job)).concat(beyond.slice(0, AT_ONCE));
  return Promise.all(due.map((one) => one.follow(jobs)));
}

function summarise() {
  const all = [...rows.keys()];
  const open = all.filter((one) => one.isOpen).length;
  const ready = all.filter((one) => one.state === 'ready').length;
  const added = ready === all.length ? counted(ready, 'file')
    : `${ready} of ${counted(all.length, 'file')}`;
  heading.textContent = open ? `Adding ${counted(open, 'file')}` : `${added} added`;
  clear.hidden = all.every((one) => one.isOpen);
}

function clearDone() {
  remove((upload) => !upload.isOpen);
  document.getElementById('main').focus();
  readSoon();
}

function remove(isDone) {
  for (const [upload, row] of rows) {
    if (!isDone(upload)) continue;
    rows.delete(upload);
    row.element.remove();
  }
  section.hidden = !rows.size;
}

// Whoever leaves while files are being sent loses them.
addEventListener('beforeunload', (event) => {
  if ([...rows.keys()].some((one) => ['waiting', 'sending'].includes(one.state))) {
    event.preventDefault();
  }
});
