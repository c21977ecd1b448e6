/** One file on its way: a form is asked for, the file sent by it, and its job followed. */

import { ApiError, call, refusal } from './api.js';
import { bytes } from './format.js';
import { isRunning } from './jobs_feed.js';

// The status of a job that cannot be cancelled any more.
const DONE = 409;
const UNKNOWN_TYPE = 'application/octet-stream';
const BROKEN_OFF = 'The connection broke off before all of it was sent. Try again.';
const EMPTY = 'The file is empty.';
const NO_ANSWER = 'It was sent, but its job cannot be found any more.';

/** A file and what has become of it; `changed` is called whenever that is something else. */
export class Upload {
  constructor(file, name, source, changed) {
    this.file = file;
    this.name = name;
    this.source = source;
    this.changed = changed;
    this.state = 'waiting';
    this.sent = 0;
    this.job = null;
    this.document = null;
    this.problem = null;
    this.warnings = [];
    this.request = null;
  }

  /** Whether something may still become of it. */
  get isOpen() {
    return ['waiting', 'sending', 'reading'].includes(this.state);
  }

  /** Send it; done when the server has all of it. */
  async send() {
    if (!this.file.size) return this.fail(EMPTY);
    this.become('sending');
    try {
      const form = await call('api/rag/uploads', { method: 'POST', body: this.described() });
      this.job = form.jobId;
      if (this.state === 'cancelled') return await this.drop();
      await this.post(form);
      if (this.state === 'sending') this.become('reading');
    } catch (error) {
      const reason = await this.worded(error);
      if (this.state === 'sending') this.fail(reason);
      this.drop();
    }
    return null;
  }

  /** The API's reason; of sizes, as people read them. */
  async worded({ message, details }) {
    if (details?.field !== 'size') return message;
    try {
      const { limits } = await call('api/rag/usage?days=1');
      return `It has ${bytes(this.file.size)}; a file may have ${bytes(limits.largestFileBytes)}.`;
    } catch {
      return message;
    }
  }

  described() {
    return {
      dataSourceId: this.source,
      filename: this.name,
      mediaType: this.file.type || UNKNOWN_TYPE,
      size: this.file.size,
    };
  }

  /** By XMLHttpRequest: nothing else tells how much is sent. */
  post(form) {
    const body = new FormData();
    for (const [name, value] of Object.entries(form.fields)) body.append(name, value);
    body.append('file', this.file);
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      this.request = request;
      request.upload.onprogress = ({ loaded, total }) => {
        this.sent = loaded / total;
        this.changed(this);
      };
      request.onload = () => {
        if (request.status < 300) resolve();
        else reject(refusal(request.status, request.responseText));
      };
      request.onerror = () => reject(new ApiError(BROKEN_OFF));
      request.onabort = () => reject(new ApiError('Cancelled.'));
      request.open('POST', form.url);
      request.send(body);
    });
  }

  /** Look what has become of its job, which may be among those that were just read. */
  async follow(jobs) {
    const known = jobs.find((job) => job.jobId === this.job);
    if (this.state !== 'reading' || (known && isRunning(known))) return;
    try {
      const job = await call(`api/rag/ingest/${this.job}`);
      if (this.state === 'reading' && !isRunning(job)) this.end(job);
    } catch (error) {
      if (error.status === 404) this.fail(NO_ANSWER);
    }
  }

  end(job) {
    const [result] = job.results;
    this.warnings = result?.warnings ?? [];
    const failure = result?.failure ?? job.failure;
    if (failure) return this.fail(failure.message);
    this.document = result?.documentId ?? null;
    return this.become('ready');
  }

  /** Stop it, wherever it is. */
  cancel() {
    const { state } = this;
    this.become('cancelled');
    this.request?.abort();
    if (state === 'reading') this.drop();
  }

  /** End its job, which would otherwise wait for a file that never comes; or tell how it ended,
   * where that was sooner. */
  async drop() {
    if (!this.job) return;
    const path = `api/rag/ingest/${this.job}`;
    try {
      await call(path, { method: 'DELETE' });
    } catch (error) {
      const job = error.status === DONE ? await call(path).catch(() => null) : null;
      if (job) this.end(job);
    }
  }

  fail(message) {
    this.problem = message;
    this.become('failed');
  }

  become(state) {
    this.state = state;
    this.changed(this);
  }
}
