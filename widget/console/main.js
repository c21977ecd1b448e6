/** The console: which view is shown, and what is around it. */

import { acceptFiles } from './adding.js';
import { call, connection } from './api.js';
import { button, el } from './dom.js';
import { parsed } from './places.js';
import { askToSignIn, showWho } from './sign_in.js';
import { failed, loading, viewHeading } from './states.js';
import { show as ask } from './ask.js';
import { show as documents } from './documents.js';
import { show as oneDocument } from './document.js';
import { show as jobs } from './jobs.js';
import { show as sources } from './sources.js';
import { show as sites } from './sites.js';
import { show as feedback } from './feedback.js';
import { show as usage } from './usage.js';

const VIEWS = {
  ask: ['Ask', ask],
  documents: ['Documents', documents],
  jobs: ['Jobs', jobs],
  sources: ['Data sources', sources],
  sites: ['Sites', sites],
  feedback: ['Feedback', feedback],
  usage: ['Usage', usage],
};
const UNREACHABLE = 'The server cannot be reached. Check whether it runs and you are online.';
const AGAIN_MS = 2000;

const main = document.getElementById('main');
const banner = document.getElementById('banner');
let leaving = new AbortController();
let isFirst = true;

/** Show the view that the address names. */
async function show() {
  const route = parsed(location.hash);
  const name = Object.hasOwn(VIEWS, route.view) ? route.view : 'ask';
  const [title, view] = VIEWS[name];
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  for (const link of document.querySelectorAll('#views a')) {
    link.removeAttribute('aria-current');
    if (link.dataset.view !== name) continue;
    link.setAttribute('aria-current', 'page');
    link.scrollIntoView({ block: 'nearest', inline: 'nearest' }); // on a phone they scroll
  }
  document.title = `${title} · Footnote console`;
  const place = el('div', { class: `view ${name}` });
  const waiting = loading();
  document.getElementById('view').replaceChildren(place, waiting);
  const shown = name === 'documents' && route.id ? oneDocument : view;
  try {
    const focus = await shown(place, route, signal);
    if (signal.aborted) return;
    showWho(true);
    arrive(place, focus);
  } catch (error) {
    if (signal.aborted) return;
    if (error.status === undefined) throw error; // a bug of ours is the browser's to tell
    showWho(error.status !== 401);
    if (!place.querySelector('h1')) place.append(viewHeading(title));
    place.append(error.status === 401 ? signedOut(error) : failed(error, show));
  } finally {
    waiting.remove();
  }
}

/** Go where a link leads within the click: what is typed next is already meant for that view. */
function follow(event) {
  const link = event.target.closest?.('a[href^="#/"]');
  const { button: which, ctrlKey, metaKey, shiftKey, altKey } = event;
  const isElsewhere = which || ctrlKey || metaKey || shiftKey || altKey;
  if (!link || isElsewhere) return; // such as in a new tab
  event.preventDefault();
  if (link.hash !== location.hash) history.pushState(null, '', link.hash);
  show();
}

/** Where people are who have followed a link: at its heading, or at the words that it names. */
function arrive(place, focus) {
  const heading = place.querySelector('h1');
  if (focus) {
    focus.scrollIntoView({ block: 'center' });
    focus.focus({ preventScroll: true });
  } else if (!isFirst && !place.contains(document.activeElement)) {
    scrollTo(0, 0);
    heading?.focus({ preventScroll: true });
  }
  isFirst = false;
}

/** Wait until the server is back; a view that failed in the meantime is shown then. */
async function lookAgain() {
  try {
    await call('health');
  } catch (error) {
    if (!error.status) setTimeout(lookAgain, AGAIN_MS);
    return;
  }
  if (document.querySelector('.view > .notice')) show();
}

function signedOut(error) {
  return el('div', { class: 'empty' }, el('p', { class: 'invitation' }, 'You are not signed in'),
    el('p', { class: 'muted' }, error.message),
    button('Sign in', () => askToSignIn(), { class: 'primary' }));
}

const links = Object.entries(VIEWS).map(([name, [title]]) => el('li', {},
  el('a', { href: `#/${name}`, 'data-view': name }, title)));
document.getElementById('views').append(el('ul', {}, links));
document.getElementById('skip').addEventListener('click', (event) => {
  event.preventDefault(); // the address is the view's
  main.focus();
});
connection.addEventListener('unauthorized', ({ detail }) => askToSignIn(detail));
connection.addEventListener('unreachable', () => {
  if (banner.children.length) return;
  banner.append(el('p', { class: 'notice bad' }, UNREACHABLE));
  setTimeout(lookAgain, AGAIN_MS);
});
connection.addEventListener('reachable', () => banner.replaceChildren());
addEventListener('hashchange', show);
addEventListener('click', follow);
acceptFiles();
show();
