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

/** Has `take` add a page of a list: with a call of `add`, which may fail, or by the button in
 * `place`, where what fails is told and can be tried again. */
export function paged(take, turns, signal) {
  const more = button('Show more', next);
  const place = el('div', { class: 'more' }, more);
  return { place, add };

  async function add() {
    const page = await turns.next();
    if (signal.aborted) return;
    take(page);
    place.replaceChildren(page.next ? more : '');
  }

  async function next() {
    const isHere = place.contains(document.activeElement);
    place.replaceChildren(more);
    more.disabled = true;
    try {
      await add();
    } catch (error) {
      if (!signal.aborted) place.replaceChildren(failed(error, next));
    } finally {
      more.disabled = false;
    }
    if (isHere) place.querySelector('button')?.focus(); // what is disabled cannot keep it
  }
}
