/** Elements made by calls: whatever comes from elsewhere stays text. */

const SVG = 'http://www.w3.org/2000/svg';

/** An element: `on` are listeners, true and false are attributes that are there or not. */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same for drawings. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, { on = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? '' : value);
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  // One by one: a call takes only so many arguments, and a long document has more.
  for (const child of children.flat(Infinity)) {
    if ((child ?? null) !== null) element.append(child);
  }
  return element;
}

/** A button that does something here. */
export function button(text, click, attributes = {}) {
  return el('button', { type: 'button', on: { click }, ...attributes }, text);
}

let counted = 0;

/** An id that no other element of the page has. */
export function newId(prefix) {
  counted += 1;
  return `${prefix}-${counted}`;
}

/** A label, its control, and what may be said about it below. */
export function field(label, control, hint = null) {
  control.id ||= newId('field');
  const hinted = hint && el('p', { class: 'hint', id: newId('hint') }, hint);
  if (hinted) control.setAttribute('aria-describedby', hinted.id);
  return el('div', { class: 'field' }, el('label', { for: control.id }, label), control, hinted);
}

/** An address from elsewhere as a link, where it leads to a web page; else its text. */
export function outward(address, text = address) {
  if (!isPage(address)) return el('span', {}, text);
  return el('a', { href: address, rel: 'noopener noreferrer', target: '_blank' }, text);
}

function isPage(address) {
  try {
    return /^https?:\/\//i.test(address) && Boolean(new URL(address));
  } catch {
    return false;
  }
}

/** How much of a whole, as a bar; its place is set where no string of style is needed. */
export function bar(share, kind = '') {
  const filling = el('span', { class: 'filling' });
  filling.style.inlineSize = `${100 * Math.min(1, Math.max(0, share))}%`;
  return el('span', { class: `bar ${kind}`, 'aria-hidden': 'true' }, filling);
}
