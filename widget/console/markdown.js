/** Markdown as elements; what is no mark of its stays as it is written. */

import { blocksOf, itemOf } from './blocks.js';
import { el } from './dom.js';
import { cellsOf, table, wide } from './table.js';

// Of a longer text there would be too many elements for a browser: it stays as it is written.
const LONGEST = 500_000;
const INLINE = /\\(?=\|)|\*\*([^*\n]+)\*\*|`([^`\n]+)`/g;
const DEEPEST_HEADING = 6;
const DEEPEST_ITEM = 5;

/** The elements of a text, with headings from `level` on. Whatever is between two places of it is
 * drawn by `words`, which is told whether that is code. */
export function drawn(text, words = (start, end) => text.slice(start, end), level = 3) {
  if (text.length > LONGEST) return [words(0, text.length, false)];
  let above = level - 1;
  const kinds = { code, heading, item: list, row: (lines) => table(lines, inline),
    'quoted row': quotedRow, text: paragraph };
  return Array.from(blocksOf(text), ({ kind, lines, found }) => kinds[kind](lines, found));

  function code(lines) {
    const [start, end] = [endOf(lines[0]) + 1, lines.at(-1).at - 1];
    return wide('pre', 'Code', el('code', {}, start < end ? words(start, end, true) : ''));
  }

  /** Never more than one level below the one before, whatever its author thought. */
  function heading([line], found) {
    above = Math.min(level - 1 + found[1].length, above + 1, DEEPEST_HEADING);
    return el(`h${above}`, {}, inline(line.at + found[0].length, endOf(line)));
  }

  function list(lines, found) {
    const items = [];
    for (const line of lines) {
      const item = itemOf(line);
      const lead = item ? item[0].length : line.text.length - line.text.trimStart().length;
      const said = inline(line.at + lead, endOf(line));
      if (item) items.push({ item, parts: [said] });
      else items.at(-1).parts.push('\n', said);
    }
    return el(found[2] ? 'ol' : 'ul', {}, items.map(({ item, parts }) => {
      const made = el('li', { value: item[2] }, parts);
      made.style.marginInlineStart = `${Math.min(DEEPEST_ITEM, item[1].length / 2)}rem`;
      return made;
    }));
  }

  /** A row with something around it, in one line. */
  function quotedRow([line]) {
    const end = line.text.indexOf('|”', 2) + 1;
    const cells = cellsOf({ text: line.text.slice(0, end), at: line.at })
      .filter(([from, to]) => from < to);
    return el('p', {}, words(line.at, line.at + 1, false),
      cells.map(([from, to], number) => [number ? ' · ' : '', inline(from, to)]),
      inline(line.at + end, endOf(line)));
  }

  function paragraph(lines) {
    return el('p', {}, inline(lines[0].at, endOf(lines.at(-1))));
  }

  /** Text in which some is bold, some is code, and bars need no backslash. */
  function inline(start, end) {
    const parts = [];
    let at = start;
    for (const found of text.slice(start, end).matchAll(INLINE)) {
      const from = start + found.index;
      const to = from + found[0].length;
      parts.push(words(at, from, false));
      if (found[1]) parts.push(el('strong', {}, words(from + 2, to - 2, false)));
      if (found[2]) parts.push(el('code', {}, words(from + 1, to - 1, true)));
      at = to;
    }
    parts.push(words(at, end, false));
    return parts;
  }
}

function endOf(line) {
  return line.at + line.text.length;
}
