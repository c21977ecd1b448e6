/** What the reader has signed in with, for as long as the tab is open. */

const KEY = 'footnote-credentials';

/** The token or key, or null. */
export function stored() {
  return sessionStorage.getItem(KEY);
}

/** Keep a token or key. */
export function keep(secret) {
  sessionStorage.setItem(KEY, secret);
}

/** Forget it. */
export function forget() {
  sessionStorage.removeItem(KEY);
}

/** The header that a token or a key is sent in. */
export function headersOf(secret) {
  if (!secret) return {};
  return isToken(secret) ? { Authorization: `Bearer ${secret}` } : { 'x-api-key': secret };
}

/** Whom it names, in words. */
export function described(secret) {
  if (!secret) return 'Owner of org local';
  const claims = claimsOf(secret);
  return claims ? `${claims.sub} of org ${claims.org}` : 'Signed in with an API key';
}

function isToken(secret) {
  return secret.split('.').length === 3;
}

/** What a token says of its bearer; whether that is true, the API finds out. */
function claimsOf(secret) {
  if (!isToken(secret)) return null;
  try {
    const base64 = secret.split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
