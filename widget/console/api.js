/** Calls of the API, which is everyone's: the console has no other. */

import { headersOf, stored } from './credentials.js';

/** Where the API is: above the folder that this file is in. */
const root = new URL('..', import.meta.url);

const told = document.querySelector('meta[name="footnote-widget-api"]').content;
/** Where the widget's part of it is: at another address where the page says so. */
export const widgetRoot = told ? new URL(told.endsWith('/') ? told : `${told}/`) : root;

/** Tells `unauthorized`, `unreachable` and `reachable`. */
export const connection = new EventTarget();

const WORDS = {
  401: 'Credentials are required.',
  403: 'This is not yours to do.',
  404: 'There is no such thing, or none that you may see.',
  413: 'That is too large.',
  429: 'Too many requests. Wait a moment, then try again.',
  503: 'A part of the service does not answer. Try again in a moment.',
};

/** What was refused, or failed, with the API's reason. */
export class ApiError extends Error {
  constructor(message, { status = 0, code = null, details = {} } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Call the API; what it says as JSON. Raises ApiError. */
export async function call(path, { method = 'GET', body, signal, secret = stored() } = {}) {
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const request = {
    method,
    signal,
    headers: { Accept: 'application/json', ...json, ...headersOf(secret) },
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: 'no-store',
    credentials: 'omit',
  };
  const base = path.startsWith('api/v1/') ? widgetRoot : root;
  let answer;
  let said;
  try {
    answer = await fetch(new URL(path, base), request);
    said = await answer.text();
  } catch (failed) {
    if (signal?.aborted) throw failed;
    connection.dispatchEvent(new Event('unreachable'));
    throw new ApiError('The server cannot be reached.');
  }
  connection.dispatchEvent(new Event('reachable'));
  if (answer.ok) return said ? JSON.parse(said) : null;
  const error = refusal(answer.status, said);
  if (error.status === 401 && secret === stored()) {
    connection.dispatchEvent(new CustomEvent('unauthorized', { detail: error.message }));
  }
  throw error;
}

/** What a failed answer says, in whichever of the contracts' shapes. */
export function refusal(status, said) {
  const body = parsed(said);
  const inner = typeof body.error === 'object' && body.error ? body.error : body;
  const words = inner.message ?? WORDS[status] ?? `The server failed (${status}).`;
  return new ApiError(words, { status, code: inner.code, details: inner.details ?? {} });
}

/** JSON, or the message in a bucket's XML. */
function parsed(said) {
  try {
    return JSON.parse(said) ?? {};
  } catch {
    const message = new DOMParser().parseFromString(said, 'text/xml').querySelector('Message');
    return message ? { message: message.textContent } : {};
  }
}

/** The pages of a list, one with each call of `next`: one that failed can be asked for again. */
export function pages(path, signal) {
  let after = '';
  return {
    async next() {
      const page = await call(`${path}${path.includes('?') ? '&' : '?'}${after}`, { signal });
      if (page.next) after = `after=${encodeURIComponent(page.next)}`;
      return page;
    },
  };
}
