/** Signing in, by a token or a key, where the API wants one. */

import { call } from './api.js';
import { described, forget, keep, stored } from './credentials.js';
import { formDialog } from './dialogs.js';
import { button, el, field } from './dom.js';

const who = document.getElementById('who');
let shown = null;

/** Ask for a token or a key, unless that is asked already. */
export function askToSignIn(reason = '') {
  if (shown?.open) return;
  const secret = el('input', {
    name: 'secret',
    type: 'password',
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
    autofocus: true,
  });
  const hint = 'It stays in this tab, until you sign out or close it. '
    + 'On a laptop, “make token SUB=ann ORG=acme” prints a token, “make key ORG=acme” a key.';
  const because = reason && el('p', {}, reason);
  const fields = [because, field('Token or API key', secret, hint)];
  shown = formDialog('Sign in', fields, 'Sign in', enter);

  async function enter(data) {
    const given = data.get('secret').trim();
    await call('api/rag/sources', { secret: given });
    keep(given);
    location.reload(); // nothing of what somebody else has seen shall stay
  }
}

/** Show who is signed in, or that nobody is; where all doors are open, nobody needs to be. */
export function showWho(isIn) {
  const secret = stored();
  const words = isIn ? described(secret) : 'Not signed in';
  const out = secret ? button('Sign out', signOut, { class: 'quiet' }) : '';
  who.replaceChildren(el('span', {}, words), out);
}

function signOut() {
  forget();
  location.reload();
}
