/** The blocks that a Markdown text is made of, each with its lines and where they begin.

Each line is looked at a bounded number of times, whatever the text is made of. */

import { isRow } from './table.js';

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6}) +(?=\S)/;
const ITEM = /^( {0,40})(?:[-*+]|(\d{1,9})[.)]) +(?=\S)/;
const INDENTED = /^ +\S/;
// How answers quote a row of a table that stands alone.
const QUOTED_ROW = '“|';

/** Its headings, tables, lists, codes, and texts, with what their first line begins with. */
export function* blocksOf(text) {
  const lines = linesOf(text);
  const lastOf = new Map(lines.map((line, at) => [line.text.trim(), at]));
  const kinds = lines.map((line, at) => kindOf(line, (fence) => lastOf.get(fence) > at));
  for (let at = 0; at < lines.length;) {
    const from = at;
    const { kind, found } = kinds[at];
    do at += 1; while (at < lines.length && goesOn(kind, found, at));
    // Its last line is the first one that closes it.
    if (kind === 'code') at += 1;
    if (kind !== 'blank') yield { kind, found, lines: lines.slice(from, at) };
  }

  function goesOn(kind, found, at) {
    const next = kinds[at];
    if (kind === 'code') return lines[at].text.trim() !== found[1];
    if (kind === 'row' || kind === 'text') return next.kind === kind;
    if (kind !== 'item') return false;
    if (next.kind === 'item') return Boolean(next.found[2]) === Boolean(found[2]);
    return next.kind === 'text' && INDENTED.test(lines[at].text);
  }
}

/** What an item's line begins with, if it is one. */
export function itemOf(line) {
  return ITEM.exec(line.text);
}

function linesOf(text) {
  let at = 0;
  return text.split('\n').map((line) => {
    const start = at;
    at += line.length + 1;
    return { text: line, at: start };
  });
}

function kindOf(line, isClosed) {
  const fence = FENCE.exec(line.text);
  const heading = HEADING.exec(line.text);
  const item = itemOf(line);
  if (!line.text.trim()) return { kind: 'blank' };
  if (fence && isClosed(fence[1])) return { kind: 'code', found: fence };
  if (heading) return { kind: 'heading', found: heading };
  if (item) return { kind: 'item', found: item };
  if (isRow(line)) return { kind: 'row' };
  const isQuoted = line.text.startsWith(QUOTED_ROW) && line.text.indexOf('|”', 2) > 0;
  return { kind: isQuoted ? 'quoted row' : 'text' };
}
