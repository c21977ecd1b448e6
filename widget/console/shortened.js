/** Long lists that show their beginning first. */

import { button, el } from './dom.js';

/** A list of which the first few are shown, and the others when they are asked for. */
export function shortened(name, kind, items, most, noun) {
  const list = el(name, { class: kind }, items.slice(0, most));
  const rest = items.slice(most);
  if (!rest.length) return list;
  const more = button(`Show all ${items.length} ${noun}`, () => {
    list.append(...rest);
    more.remove();
    rest[0].tabIndex = -1;
    rest[0].focus();
  });
  return el('div', {}, list, more);
}
