/** What a view shows while it waits, has nothing, or failed. */

import { button, el } from './dom.js';

/** The heading of a view, with what can be done there. */
export function viewHeading(title, ...actions) {
  return el('div', { class: 'heading' }, el('h1', { tabindex: '-1' }, title), ...actions);
}

/** For as long as it takes. */
export function loading(text = 'Loading…') {
  return el('p', { class: 'loading' }, text);
}

/** There is nothing yet: what to do about it. */
export function empty(title, text, ...more) {
  return el('div', { class: 'empty' }, el('p', { class: 'invitation' }, title),
    el('p', { class: 'muted' }, text), ...more);
}

/** It failed: why, and the way to try again. */
export function failed(error, again) {
  return el('div', { class: 'notice bad', role: 'alert' }, el('p', {}, error.message),
    again && button('Try again', again));
}

/** Has `take` add a page of a list with each call of `next`, or of the button in `place`. */
export function paged(take, turns, signal) {
  const more = button('Show more', next);
  const place = el('div', { class: 'more' }, more);
  return { place, next };

  async function next() {
    more.disabled = true;
    place.querySelector('.notice')?.remove();
    try {
      const { value: page } = await turns.next();
      if (signal.aborted || !page) return;
      take(page);
      more.hidden = !page.next;
    } catch (error) {
      if (!signal.aborted) place.prepend(failed(error));
    }
    more.disabled = false;
  }
}
