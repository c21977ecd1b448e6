/** Tells screen readers what has happened elsewhere on the page. */

const status = document.getElementById('status');

/** Say it, politely, even if the same was said before. */
export function announce(text) {
  status.textContent = '';
  setTimeout(() => {
    status.textContent = text;
  }, 50);
}
