/** Markdown's tables; those that files bring may lack a header, and be a row alone. */

import { el } from './dom.js';

// A table of more columns than that takes browsers too long to lay out.
const MOST_CELLS = 100;

/** Whether a line is a row: in bars from its start to its end. */
export function isRow(line) {
  const text = line.text.trim();
  return text.length > 1 && text.startsWith('|') && text.endsWith('|')
    && cellsOf(line).length <= MOST_CELLS;
}

/** Where in the whole text each cell of a row is, without the space around it. */
export function cellsOf({ text, at }) {
  const cells = [];
  let start = text.indexOf('|') + 1;
  for (let end = start; end <= text.length; end += 1) {
    if (end < text.length && (text[end] !== '|' || text[end - 1] === '\\')) continue;
    const cell = text.slice(start, end);
    const lead = cell.length - cell.trimStart().length;
    // Behind the last bar there is none.
    if (end < text.length || cell.trim()) {
      cells.push([at + start + lead, at + start + Math.max(lead, cell.trimEnd().length)]);
    }
    start = end + 1;
  }
  return cells;
}

/** The rows as a table; `inline` draws what is in a cell. */
export function table(rows, inline) {
  const [head, body] = rows.length > 1 && isRule(rows[1]) ? [rows[0], rows.slice(2)] : [null, rows];
  return wide('div', 'Table', el('table', {},
    head && el('thead', {}, row(head, 'th')),
    el('tbody', {}, body.filter((one) => !isRule(one)).map((one) => row(one, 'td')))));

  function row(line, name) {
    return el('tr', {}, cellsOf(line).map(([start, end]) => (start < end
      ? el(name, name === 'th' ? { scope: 'col' } : {}, inline(start, end)) : el('td'))));
  }
}

/** What may be wider than the page scrolls by itself, by keyboard, too. */
export function wide(name, label, content) {
  return el(name, { class: 'wide', tabindex: '0', role: 'group', 'aria-label': label }, content);
}

/** The line between the header and the other rows. */
function isRule(line) {
  return line.text.trim().slice(1, -1).split('|').every((cell) => /^:?-+:?$/.test(cell.trim()));
}
