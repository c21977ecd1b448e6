/*
 * Footnote's chat for any web page.
 *
 *   <script src="https://api.example/widget.js" data-site="site_…" defer></script>
 *
 * Attributes: data-site, data-api (else the script's own folder), data-theme (light, dark),
 * data-dir (ltr, rtl), data-lang, data-texts (JSON: any of TEXTS), data-suggestions (JSON: a list).
 * CSS variables of the page: --footnote-accent, -background, -text, -font, -radius, -left, -right,
 * -bottom, -layer. For scripts: window.Footnote, once `footnote:ready` was dispatched.
 *
 * Pages may be hostile. So all is in a shadow tree, styles are constructed (policies allow that),
 * no text ever becomes HTML, and nothing is assigned that a frozen prototype has, too.
 */
(() => {
'use strict';

// Elements of the page may have any name: currentScript, Footnote…
const { get } = Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript');
const script = get.call(document);
if (!script || typeof window.Footnote?.ask === 'function') return;

const LONGEST_MESSAGE = 2000, LONGEST_SELECTION = 5000; // characters, as the server counts them
const LONGEST_ANSWER = 50000, LONGEST_STREAM = 4e6, MOST_TURNS = 50, MOST_SOURCES = 20;
const PATIENCE = 35000; // the server gives up after 30 s, and says so
const TIERS = ['anonymous', 'lightweight', 'full', 'premium'];
const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;
// Neither an address nor what cannot be seen.
const COLOUR = /^(#|(?!transp|inh|ini|uns|rev|curr)[a-z]+$|(rgb|hsl|ok)\w*\([\w\s.,%/]+\)$)/i;
const isSession = (value) => isText(value) && UUID_V4.test(value);

/* Every word that is shown; data-texts replaces any. {n} and {title} are filled in. */
const TEXTS = {
  title: 'Ask a question',
  open: 'Ask a question',
  close: 'Close',
  restart: 'New conversation',
  greeting: 'What would you like to know?',
  hint: 'Answers come with their sources.',
  placeholder: 'Ask a question…',
  conversation: 'Conversation',
  send: 'Send',
  stop: 'Stop',
  retry: 'Try again',
  retry_in: 'Try again in {n} s',
  retry_now: 'You can try again now.',
  searching: 'Looking it up…',
  question: 'You asked:',
  answer: 'Answer:',
  sources: 'Sources',
  source: 'Source {n}: {title}',
  untitled: 'Untitled',
  new_tab: 'opens in a new tab',
  code: 'Code',
  table: 'Table',
  about: 'Ask about this',
  selection: 'Selected text',
  selection_cut: 'Selected text, cut to 5,000 characters',
  remove: 'Remove the selected text',
  left: '{n} characters left',
  over: '{n} characters too many',
  helpful: 'Was this helpful?',
  yes: 'Yes, it was helpful',
  no: 'No, it was not helpful',
  thanks: 'Thank you for telling us.',
  comment: 'What was wrong or missing? (optional)',
  comment_send: 'Send comment',
  feedback_failed: 'That could not be sent. Please try again later.',
  feedback_gone: 'This answer can no longer be rated.',
  offline: 'You are offline. You can ask again once you are connected.',
  online: 'You are back online.',
  error_INVALID_REQUEST: 'This question was not understood. Please put it differently.',
  error_MESSAGE_TOO_LONG: 'Your question is too long. Please use at most 2,000 characters.',
  error_SELECTED_TEXT_TOO_LONG: 'The selected text is too long. Please select less.',
  error_INVALID_SESSION_ID: 'This conversation has expired. Please begin a new one.',
  error_UNAUTHORIZED: 'Your sign-in has expired. Please sign in again.',
  error_FORBIDDEN: 'This page may not ask questions here.',
  error_NOT_FOUND: 'This chat is not there any more.',
  error_METHOD_NOT_ALLOWED: 'This chat is not set up correctly. Please tell its owner.',
  error_UNSUPPORTED_MEDIA_TYPE: 'This chat is not set up correctly. Please tell its owner.',
  error_CONFLICT: 'Something else happened at the same time. Please try again.',
  error_PAYLOAD_TOO_LARGE: 'That was too much text. Please ask with less.',
  error_RATE_LIMIT_EXCEEDED: 'You asked a lot in a short time. Please wait a moment.',
  error_SERVICE_UNAVAILABLE: 'The answering service is busy. Please wait a moment.',
  error_INTERNAL_ERROR: 'Something went wrong on our side. Please try again.',
  error_BROKEN: 'The answer broke off before it was complete.',
  error_NETWORK: 'The answering service cannot be reached at the moment.',
  error_OFFLINE: 'You are offline. Please try again once you are connected.',
  error_TIMEOUT: 'The answer took too long. Please try again.',
  error_NOT_UNDERSTOOD: 'The answer arrived in a form that could not be read.',
  error_INTERRUPTED: 'You left the page before the answer was there.',
  error_STOPPED: 'You stopped this answer.',
};

/* ---- What the page says ---- */

const said = script.dataset;
const site = said.site || '';
const api = said.api ? new URL(said.api.replace(/\/?$/, '/'), document.baseURI)
  : new URL('.', script.src);

const isText = (value, most = 1e6) => typeof value === 'string' && value.length <= most;
const listOf = (raw) => (Array.isArray(raw) ? raw : []);
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(json) {
  try {
    return JSON.parse(json || null); // an exception would take its time
  } catch {
    return undefined;
  }
}

const texts = new Map(Object.entries(TEXTS));
for (const [key, value] of Object.entries(parsed(said.texts) ?? {})) {
  if (texts.has(key) && isText(value)) texts.set(key, value);
}
const hasWords = (code) => isText(code) && texts.has(`error_${code}`);

function say(key, values = {}) {
  return texts.get(key).replace(/\{(n|title)\}/g, (_, name) => values[name] ?? '');
}

/** The page's word, or the site's, or ours. */
function styled(key) {
  return (texts.get(key) === TEXTS[key] && state.look[key]) || say(key);
}

/* ---- Texts as the server takes them ---- */

const length = (text) => Array.from(text).length;
const cut = (text, most) => Array.from(text.slice(0, 2 * most)).slice(0, most).join('');
// Half a character has no place in JSON.
const whole = (text) => text.replace(/\p{Cs}/gu, '\ufffd');
// Python's idea of white space is a little wider than trim()'s.
const isBlank = (text) => !/[^\s\x1c-\x1f\x85]/.test(text);

function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/* ---- The conversation, kept for the tab ---- */

const KEY = `footnote:${site}`;
const state = {
  session: uuid(), turns: [], draft: '', selection: '', open: false, look: lookOf({}),
};

/* Neither the server nor what is stored is believed: anybody may have written there. */

function sourcesOf(raw) {
  const text = (value, most) => (isText(value) ? whole(value.slice(0, most)) : '');
  return listOf(raw).slice(0, MOST_SOURCES).filter(isObject).map((one, at) => ({
    n: Number.isInteger(one.n) ? one.n : at + 1,
    title: text(one.title, 300),
    url: text(one.url, 2000),
    excerpt: text(one.excerpt, 400),
  }));
}

function lookOf(raw) {
  const { accent, title, greeting, suggestions } = isObject(raw) ? raw : {};
  const isColour = isText(accent, 40) && COLOUR.test(accent) && CSS.supports('color', accent);
  return {
    accent: isColour ? accent : '',
    title: isText(title, 100) ? title : '',
    greeting: isText(greeting, 500) ? greeting : '',
    suggestions: listOf(suggestions).slice(0, 4)
      .filter((one) => isText(one, 200) && !isBlank(one)),
  };
}

function turnOf(raw) {
  const answer = isText(raw.answer, LONGEST_ANSWER) ? raw.answer : null;
  return {
    question: raw.question,
    selection: isText(raw.selection, 2 * LONGEST_SELECTION) ? raw.selection : '',
    session: isSession(raw.session) ? raw.session : state.session,
    answer,
    sources: sourcesOf(raw.sources),
    id: isText(raw.id, 128) ? raw.id : '',
    helpful: typeof raw.helpful === 'boolean' ? raw.helpful : null,
    code: hasWords(raw.code) ? raw.code : answer === null ? 'INTERRUPTED' : '',
    until: Number.isFinite(raw.until) ? Math.min(raw.until, Date.now() + 36e5) : 0,
  };
}

function restore() {
  let raw;
  try {
    raw = parsed(sessionStorage.getItem(KEY));
  } catch {
    return; // storage is forbidden
  }
  if (!isObject(raw)) return;
  if (isSession(raw.session)) state.session = raw.session;
  const isTurn = (one) => isText(one?.question, 2 * LONGEST_MESSAGE) && !isBlank(one.question);
  state.turns = listOf(raw.turns).slice(-MOST_TURNS).filter(isTurn).map(turnOf);
  if (isText(raw.draft)) state.draft = raw.draft;
  if (isText(raw.selection, 2 * LONGEST_SELECTION)) state.selection = raw.selection;
  state.open = raw.open === true;
  state.look = lookOf(raw.look);
}

function save() {
  for (let most = MOST_TURNS; most >= 1; most >>= 2) {
    try {
      const turns = state.turns.slice(-most);
      return sessionStorage.setItem(KEY, JSON.stringify({ ...state, turns }));
    } catch { /* it is full */ }
  }
}

/* ---- Nodes ---- */

/** An element; functions among its attributes listen to the event of that name. */
function make(tag, attributes = {}, ...children) {
  const [name, kind] = tag.split('.');
  const node = document.createElement(name);
  if (kind) node.className = kind;
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') node.addEventListener(key, value);
    else if (value !== null) node.setAttribute(key, value);
  }
  // A call cannot have as many arguments.
  for (const child of children.flat()) node.append(child);
  return node;
}

const ICONS = {
  chat: 'M21 11.5a8.4 8.4 0 0 1-12.3 7.5L3 21l2-5.4A8.4 8.4 0 1 1 21 11.5zM9 10h6.5M9 13.5h4',
  close: 'M6 6l12 12M18 6L6 18',
  restart: 'M12 5v14M5 12h14',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M7 7h10v10H7z',
  yes: 'M7 10.5V20H4v-9.5zl4-7q2.5 0 2.5 2.5v3.5h4.7q2 .4 1.9 2.4l-1.5 6.5q-.6 1.5-2 1.6H7',
  no: 'M7 13.5V4H4v9.5zl4 7q2.5 0 2.5-2.5v-3.5h4.7q2-.4 1.9-2.4l-1.5-6.5q-.6-1.5-2-1.6H7',
  about: 'M5 17V7M9 8h10M9 12h10M9 16h6',
  alert: 'M12 8v5M12 16.5v.1M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
};

function icon(name) {
  const drawn = (tag) => document.createElementNS('http://www.w3.org/2000/svg', tag);
  const svg = drawn('svg'), path = drawn('path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

const isOff = (node) => node.getAttribute('aria-disabled') === 'true';
const unseen = (text) => make('span.sr', {}, text);
// A text may run the other way than the page.
const spoken = (tag, text) => make(tag, { dir: 'auto' }, text);
const button = (kind, click, ...children) =>
  make(`button.${kind}`, { type: 'button', click }, ...children);

function tool(kind, name, click, drawn = name) {
  const named = { type: 'button', 'aria-label': say(name), title: say(name), click };
  return make(`button.${kind}`, named, icon(drawn));
}

/* ---- Links ---- */

/** The address, if a link may lead there. */
function address(text) {
  try {
    const url = new URL(text, document.baseURI);
    return text.trim() && /^https?:$/.test(url.protocol) && !url.username ? url : null;
  } catch {
    return null;
  }
}

function link(url, attributes, ...children) {
  const stays = url.origin === location.origin;
  // A phone's panel would cover it.
  const click = () => stays && isPhone() && close();
  const node = make('a', { href: url.href, ...attributes, click }, ...children);
  if (!stays) {
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
    node.append(unseen(` (${say('new_tab')})`));
  }
  return node;
}

/** The source's address. Browsers mark there what the answer quotes, or how the excerpt begins. */
function placeOf({ n, url: text, excerpt }, answer) {
  const url = address(text);
  const quoted = new RegExp(`“([^“”|\\n]{9,})” ?\\[${n}\\]`).exec(answer)?.[1];
  const plain = (quoted ?? excerpt).replace(/[*`]|^[^\p{L}\p{N}]+/gu, '');
  const words = plain.split(/[|#<>[\]\n…]/, 1)[0].split(/\s+/).filter(Boolean);
  const part = (...of) => encodeURIComponent(words.slice(...of).join(' ')).replace(/-/g, '%2D');
  // Some pages find their way by the fragment.
  if (url && words.length > 2 && document.fragmentDirective && !/^#[/!]/.test(url.hash)) {
    const isLong = quoted && words.length > 12;
    url.hash += `:~:text=${isLong ? `${part(0, 5)},${part(-5)}` : part(0, quoted ? 12 : 8)}`;
  }
  return url;
}

/* ---- Markdown, as nodes ---- */
/* Each character is looked at a bounded number of times, whatever the text is made of. */

const DEEPEST = 6;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6}) +(.*)/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,40})([-*+]|\d{1,9}[.)])(?: {1,4}|$)/;
const isRule = (line) => /^([-*_])\1{2,}$/.test(line.replace(/\s/g, ''));
const indentOf = (line) => line.length - line.trimStart().length;
const isOrdered = (item) => /\d/.test(item[2]);

const cells = (row) => row.trim().replace(/^\||\|$/g, '').split('|').map((cell) => cell.trim());
const isTable = (lines, at) => lines[at].includes('|') && at + 1 < lines.length
  && cells(lines[at + 1]).every((cell) => /^:?-+:?$/.test(cell));
const begins = (lines, at) => [FENCE, HEADING, QUOTE, ITEM].some((one) => one.test(lines[at]))
  || isRule(lines[at]) || isTable(lines, at);

function* blocks(lines, depth) {
  for (let at = 0; at < lines.length;) {
    const from = at, line = lines[at];
    const goOn = (holds) => {
      do at += 1; while (at < lines.length && holds(lines[at]));
    };
    const fence = FENCE.exec(line), item = ITEM.exec(line), nests = depth < DEEPEST;
    let kind = 'p';
    if (isBlank(line)) {
      at += 1;
      continue;
    }
    if (fence) {
      kind = 'pre';
      goOn((other) => !other.trim().startsWith(fence[1]));
      at += 1;
    } else if (HEADING.test(line) || isRule(line)) {
      kind = isRule(line) ? 'hr' : 'h';
      at += 1;
    } else if (nests && QUOTE.test(line)) {
      kind = 'quote';
      goOn((other) => QUOTE.test(other));
    } else if (nests && item) {
      kind = 'list';
      goOn((other) => {
        const next = ITEM.exec(other);
        return isBlank(other) || indentOf(other) > item[1].length + 1
          || (next ? isOrdered(next) === isOrdered(item) && !isRule(other)
            : !isBlank(lines[at - 1]) && !begins(lines, at));
      });
    } else if (isTable(lines, at)) {
      kind = 'table';
      goOn((other) => other.includes('|'));
    } else {
      goOn((other) => !isBlank(other) && !begins(lines, at));
    }
    yield { kind, lines: lines.slice(from, at) };
  }
}

const drawn = (lines, cite, depth) =>
  Array.from(blocks(lines, depth), (one) => block(one, cite, depth));

function block({ kind, lines }, cite, depth) {
  if (kind === 'pre') {
    const isClosed = lines.length > 1 && lines.at(-1).trim().startsWith(FENCE.exec(lines[0])[1]);
    const code = lines.slice(1, isClosed ? -1 : undefined).join('\n');
    return wide('pre', 'code', make('code', {}, code));
  }
  if (kind === 'h') {
    const [, marks, title] = HEADING.exec(lines[0]);
    return make(`h${Math.min(6, marks.length + 2)}`, {}, inline(title.trim(), cite));
  }
  if (kind === 'hr') return make('hr');
  if (kind === 'quote') {
    const inner = lines.map((line) => line.replace(QUOTE, ''));
    return make('blockquote', {}, drawn(inner, cite, depth + 1));
  }
  if (kind === 'list') return list(lines, cite, depth);
  if (kind === 'table') {
    const row = (line, tag) =>
      make('tr', {}, cells(line).map((cell) => make(tag, {}, inline(cell, cite))));
    return wide('div', 'table', make('table', {}, make('thead', {}, row(lines[0], 'th')),
      make('tbody', {}, lines.slice(2).map((line) => row(line, 'td')))));
  }
  return make('p', {}, inline(lines.join('\n').trim(), cite));
}

function wide(tag, name, inner) {
  const named = { tabindex: 0, role: 'group', 'aria-label': say(name) };
  return make(`${tag}.wide`, named, inner);
}

function list(lines, cite, depth) {
  const first = ITEM.exec(lines[0]), indent = first[1].length;
  const items = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item && indentOf(line) < indent + 2) items.push([line.slice(item[0].length)]);
    else items.at(-1).push(line.slice(Math.min(indentOf(line), first[0].length)));
  }
  const start = isOrdered(first) ? parseInt(first[2], 10) : null;
  return make(isOrdered(first) ? 'ol' : 'ul', { start }, items.map((inner) => {
    const parts = drawn(inner, cite, depth + 1);
    const first = parts[0]?.nodeName === 'P' ? [...parts.shift().childNodes] : [];
    return make('li', {}, first, parts);
  }));
}

const STOPS = /[\\`*_~[!\n]|https?:\/\//g;
const TARGET =
  /\( {0,9}<?([^\s()<>]{0,2000}(?:\([^\s()<>]{0,99}\))?)>?(?: "[^"\n]{0,200}")? {0,9}\)/y;

/** Where each `[` has its `]`, and each run of backticks the next one of its length. */
function partners(text) {
  const found = new Map(), open = [], runs = [], next = new Map();
  for (const match of text.matchAll(/\\.|[[\]]|`+/g)) {
    if (match[0] === '[') open.push(match.index);
    else if (match[0] === ']' && open.length) found.set(open.pop(), match.index);
    else if (match[0][0] === '`') runs.push(match);
  }
  for (const { 0: run, index } of runs.reverse()) {
    if (next.has(run.length)) found.set(index, next.get(run.length));
    next.set(run.length, index);
  }
  return found;
}

/** The nodes of a text; within a link there is no other. */
function inline(text, cite, within = false) {
  const pairs = partners(text);
  const parts = []; // strings, nodes, and marks of emphasis
  const open = [];
  let at = 0;
  const take = (to, part) => {
    parts.push(part);
    at = to;
  };
  const run = (pattern, from) => {
    pattern.lastIndex = from;
    return pattern.exec(text)?.[0] ?? '';
  };
  for (const { 0: sign, index } of text.matchAll(STOPS)) {
    if (index < at) continue;
    if (index > at) take(index, text.slice(at, index));
    const next = text[index + 1] ?? '', end = pairs.get(index);
    if (sign === '\\') {
      if (next === '\n') take(index + 2, make('br'));
      else if (/[!-/:-@[-`{-~]/.test(next)) take(index + 2, next);
    } else if (sign === '`') {
      const { length: size } = run(/`+/y, index);
      if (end === undefined) take(index + size, '`'.repeat(size));
      else take(end + size, make('code', {}, text.slice(index + size, end).trim()));
    } else if (sign === '\n') {
      if (text.slice(index - 2, index) === '  ') take(index + 1, make('br'));
    } else if (sign === '[') {
      bracket(index, end);
    } else if (sign === '!') {
      if (next === '[' && pairs.has(index + 1)) at += 1;
    } else if (sign[0] === 'h') {
      const bare = run(/[^\s<>"'`*]{1,2000}/y, index).replace(/[.,;:!?)\]]{1,9}$/, '');
      const url = !within && address(bare);
      if (url) take(index + bare.length, link(url, {}, bare));
    } else {
      emphasis(sign, index);
    }
  }
  parts.push(text.slice(at));
  return assembled(parts);

  function bracket(index, end) {
    if (end === undefined) return;
    const inner = end - index < 5 ? text.slice(index + 1, end) : '';
    const cited = /^\d+$/.test(inner) && text[end + 1] !== '(' && cite(Number(inner));
    if (cited) {
      // It stays with the word before it.
      const before = parts.length - 1;
      if (isText(parts[before])) parts[before] = parts[before].trimEnd();
      return take(end + 1, cited);
    }
    TARGET.lastIndex = end + 1;
    const target = !within && TARGET.exec(text);
    if (!target) return;
    const url = address(target[1]), words = inline(text.slice(index + 1, end), cite, true);
    take(end + 1 + target[0].length, url ? link(url, {}, words) : words);
  }

  function emphasis(sign, index) {
    let left = 1;
    while (left < 4 && text[index + left] === sign) left += 1;
    const before = text[index - 1] ?? ' ', after = text[index + left] ?? ' ';
    const isWord = (one) => sign === '_' && /[\p{L}\p{N}]/u.test(one);
    const may = left < 4 && (sign !== '~' || left === 2);
    const opens = may && /\S/.test(after) && !isWord(before);
    at = index + left;
    while (may && left && /\S/.test(before) && !isWord(after)) {
      const start = open.findLastIndex((one) => one.sign === sign && one.size <= left);
      if (start < 0) break;
      const [mark] = open.splice(start);
      mark.tag = sign === '~' ? 'del' : mark.size === 2 ? 'strong' : 'em';
      parts.push({ ends: true });
      left -= mark.size;
    }
    while (opens && left && open.length < DEEPEST) {
      const mark = { sign, size: Math.min(left, 2), tag: '' };
      open.push(mark);
      parts.push(mark);
      left -= mark.size;
    }
    if (left) parts.push(sign.repeat(left));
  }
}

function assembled(parts) {
  const stack = [document.createDocumentFragment()];
  for (const part of parts) {
    const top = stack.at(-1);
    if (part.ends) stack.pop();
    else if (part.tag) {
      stack.push(make(part.tag));
      top.append(stack.at(-1));
    } else top.append(part.sign ? part.sign.repeat(part.size) : part);
  }
  return stack[0];
}

/** Shows a text that grows: blocks that are as before stay, and what is selected there. */
function painter(target) {
  let shown = [];
  return (text, cite, anew = false) => {
    const lines = text.slice(0, LONGEST_ANSWER).replace(/\t/g, '    ').split(/\r\n?|\n/);
    const next = Array.from(blocks(lines, 0));
    const keys = next.map((one) => one.lines.join('\n'));
    let same = 0;
    while (!anew && same < shown.length && shown[same] === keys[same]) same += 1;
    while (target.childNodes.length > same) target.lastChild.remove();
    for (const one of next.slice(same)) {
      const node = block(one, cite, 0);
      // Only now: browsers look for it again with every node that comes.
      node.setAttribute('dir', 'auto');
      target.append(node);
    }
    shown = keys;
  };
}

/* ---- The wire ---- */

let signIn = null;
// Not an Error: a frozen prototype lets us add nothing to one.
const failure = (code, wait = 0) => ({ code, wait });
const unreached = (code) => failure(navigator.onLine === false ? 'OFFLINE' : code);

// A proxy does not know our codes.
const STATUSES = {
  401: 'UNAUTHORIZED', 403: 'FORBIDDEN', 404: 'NOT_FOUND', 429: 'RATE_LIMIT_EXCEEDED',
};

function refusal(error, status, header) {
  const code = hasWords(error?.code) ? error.code
    : STATUSES[status] ?? (status > 500 ? 'SERVICE_UNAVAILABLE' : 'NOT_UNDERSTOOD');
  const waits = [error?.details?.retry_after, header, (Date.parse(header) - Date.now()) / 1000];
  const wait = /^(RATE|SERVICE)_/.test(code) ? waits.map(Number).find((one) => one > 0) ?? 0 : 0;
  return failure(code, Math.min(Math.ceil(wait), 3600));
}

function tierOf(token) {
  let claims;
  try {
    claims = JSON.parse(atob(token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/')));
  } catch {
    return 'anonymous';
  }
  const tier = claims?.tier ?? 'lightweight';
  return TIERS.includes(tier) ? tier : 'anonymous';
}

async function tokenOf(signal) {
  if (!signIn) return '';
  const aborted = new Promise((_, reject) => signal.addEventListener('abort', reject));
  try {
    const told = await Promise.race([(async () => signIn())(), aborted]);
    return isText(told) && /^[!-~]+$/.test(told) ? told : '';
  } catch {
    throw failure('UNAUTHORIZED');
  }
}

const fetched = (path, sent) =>
  fetch(new URL(path, api), { ...sent, credentials: 'omit', redirect: 'error' });

async function post(path, body, accept, signal) {
  for (let again = Boolean(signIn); ; again = false) {
    const token = await tokenOf(signal);
    const headers = { 'Content-Type': 'application/json', Accept: accept };
    if (site) headers['X-Site'] = site;
    if (token) headers.Authorization = `Bearer ${token}`;
    const sent = { method: 'POST', headers, body: JSON.stringify(body(tierOf(token))), signal };
    const response = await fetched(path, sent).catch(() => {
      // A page that the site does not list is told nothing: its author should be.
      console.info(`Footnote: does the site list ${location.origin}?`);
      throw unreached('NETWORK');
    });
    if (response.ok) return response;
    if (response.status === 401 && again) continue;
    const told = parsed(await response.text().catch(() => ''));
    throw refusal(told?.error, response.status, response.headers.get('Retry-After'));
  }
}

/** The events of a stream, each once it is whole. */
async function* events(body) {
  const reader = body.getReader(), decoder = new TextDecoder();
  let rest = '', data = [], size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || (size += value.length) > LONGEST_STREAM) return;
      rest += decoder.decode(value, { stream: true });
      const lines = rest.split(/\r?\n/);
      rest = lines.pop();
      for (const line of lines) {
        if (line.startsWith('data:')) data.push(line.slice(5));
        else if (!line && data.length) {
          yield parsed(data.join('\n'));
          data = [];
        }
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** The whole answer; its pieces are told before. Throws a failure. */
async function answered(turn, signal, piece) {
  const body = (tier) => ({
    message: turn.question,
    context: {
      mode: turn.selection ? 'chat' : 'browse',
      ...(turn.selection && { selected_text: turn.selection }),
      // The rest of the address is the visitor's own matter.
      page_url: location.href.split(/[?#]/, 1)[0].slice(0, 2000),
      session_id: turn.session,
    },
    tier,
  });
  const response = await post('api/v1/chat', body, 'text/event-stream', signal);
  const broken = () => {
    throw unreached('BROKEN');
  };
  if (!/^text\/event-stream\b/i.test(response.headers.get('Content-Type'))) {
    return understood(parsed(await response.text().catch(broken)));
  }
  const stream = events(response.body);
  for (;;) {
    const { done, value: event } = await stream.next().catch(broken);
    if (done) throw failure('BROKEN');
    if (!isObject(event)) throw failure('NOT_UNDERSTOOD');
    if (event.type === 'chunk' && isText(event.text)) piece(event.text);
    if (event.type === 'error') throw refusal(event.error);
    if (event.type === 'complete') {
      stream.next().catch(() => {}); // what is left unread looks like a failure
      return understood(event);
    }
  }
}

function understood(told) {
  if (!isText(told?.answer)) throw failure('NOT_UNDERSTOOD');
  const id = isText(told.answer_id, 128) ? told.answer_id : '';
  return { answer: told.answer.slice(0, LONGEST_ANSWER), sources: sourcesOf(told.sources), id };
}

/* ---- Styles ---- */

// The first rule beats the page's: of two that are important, the shadow tree's wins. Sizes are
// in px, as a root may have any font size. y is the luminance that contrast is counted by, so
// that any accent can be read, and be read on.
const STYLES = `
:host{all:initial!important;display:block!important;position:fixed!important;
inset:0 auto auto 0!important;width:0!important;height:0!important;
z-index:var(--footnote-layer,2147483000)!important}
*,::after{box-sizing:border-box}
[hidden]{display:none!important}
.root{--a:var(--footnote-accent,var(--look,#4453d4));--r:var(--footnote-radius,16px);
--bg:var(--footnote-background,#fff);--text:var(--footnote-text,#1a1d23);--bad:#b3261e;
--soft:color-mix(in srgb,var(--text) 5%,var(--bg));
--line:color-mix(in srgb,var(--text) 13%,var(--bg));
--dim:color-mix(in srgb,var(--text) 70%,var(--bg));
--edge:color-mix(in srgb,var(--text) 52%,var(--bg));
--bads:color-mix(in srgb,var(--bad) 7%,var(--bg));
--tint:color-mix(in srgb,var(--a) 11%,var(--bg));
--on:#fff;--ink:var(--a);--drop:0 1px 2px #0f121e18,0 12px 40px #0f121e30;color-scheme:light;
color:var(--text);font:15px/1.55 var(--footnote-font,system-ui,sans-serif)}
.dark{--bg:var(--footnote-background,#16181d);--text:var(--footnote-text,#eceff4);--bad:#ffa59d;
--tint:color-mix(in srgb,var(--a) 24%,var(--bg));--drop:0 1px 2px #0008,0 12px 44px #0009;
color-scheme:dark}
@supports (color:color(from red xyz-d65 x y z)){
.root{--s:clamp(0,(.179 - y)*9999,1);--m:min(1,.13/max(y,.001));
--on:color(from var(--a) xyz-d65 calc(.95*var(--s)) var(--s) calc(1.089*var(--s)));
--ink:color(from var(--a) xyz-d65 calc(x*var(--m)) calc(y*var(--m)) calc(z*var(--m)))}
.dark{--m:max(0,(.36 - y)/(1.001 - y));
--ink:color(from var(--a) xyz-d65 calc(x + (.95 - x)*var(--m)) calc(y + (1 - y)*var(--m))
calc(z + (1.089 - z)*var(--m)))}}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
svg{display:block;width:20px;height:20px;fill:none;stroke:currentColor;stroke-width:1.8;
stroke-linecap:round;stroke-linejoin:round}
button,textarea{margin:0;padding:0;border:1px solid transparent;border-radius:10px;background:none;
color:inherit;font:inherit}
button{cursor:pointer}
[aria-disabled=true]{cursor:default}
:focus-visible{outline:2px solid var(--ink);outline-offset:2px}
.launch,.panel{position:fixed;left:var(--footnote-left,auto);right:var(--footnote-right,20px);
bottom:var(--footnote-bottom,20px)}
[dir=rtl]>*>.launch,[dir=rtl]>.panel{left:var(--footnote-left,20px);
right:var(--footnote-right,auto)}
.launch,.tool,.go,.thumb{display:grid;place-items:center;flex:none}
.launch{width:56px;height:56px;border-radius:50%;background-color:var(--a);color:var(--on);
box-shadow:var(--drop)}
.launch svg{width:26px;height:26px}
.about{position:fixed;display:flex;gap:6px;align-items:center;min-height:36px;
padding:5px 14px 5px 10px;
border-color:var(--line);border-radius:22px;background:var(--bg);font-size:14px;font-weight:600;
white-space:nowrap;box-shadow:var(--drop)}
.about svg{color:var(--ink)}
@media (hover:hover){.about:hover{background:var(--soft)}.launch:hover{filter:brightness(1.08)}}
@media (max-width:480px){button:not(.cite){min-width:44px;min-height:44px}}
@media (forced-colors:active){button{border:1px solid!important}}
@media print{:host{display:none!important}}`;

// Parsed when the panel is first opened: until then it would cost the page time.
const PANEL_STYLES = `
.panel{display:flex;flex-direction:column;width:min(408px,100vw - 40px);
height:min(660px,100dvh - 40px);overflow:hidden;border:1px solid var(--line);
border-radius:var(--r);background:var(--bg);box-shadow:var(--drop);outline:0}
.head{display:flex;gap:4px;align-items:center;padding:12px;padding-inline-start:20px;
border-bottom:1px solid var(--line)}
h2{flex:1;margin:0;overflow:hidden;font-size:16px;font-weight:600;white-space:nowrap;
text-overflow:ellipsis}
.tool,.thumb{width:32px;height:32px;color:var(--dim)}
.log{flex:1;min-height:0;position:relative;overflow:hidden auto;padding:20px;
overscroll-behavior:contain}
.log:focus-visible,.wide:focus-visible{outline-offset:-2px}
ul.cards,.turns{margin:0;padding:0;list-style:none}
.turn+.turn{margin-top:28px}
.hello{display:flex;flex-direction:column;min-height:100%;justify-content:flex-end;
align-items:flex-start;gap:8px}
.hello p{margin:0 0 8px;color:var(--dim)}
.hello p:first-child{margin:0;font-size:22px;font-weight:600;line-height:1.3;color:var(--text);
text-wrap:balance}
.idea{padding:8px 14px;border-color:var(--line);border-radius:22px;text-align:start;font-size:14px;
line-height:1.4;color:var(--ink)}
.asked{width:fit-content;max-width:88%;margin:0 0 14px;margin-inline-start:auto;padding:9px 14px;
border:1px solid transparent;
border-radius:16px;border-end-end-radius:5px;background:var(--tint);white-space:pre-wrap}
.turn,.chip,.idea{overflow-wrap:anywhere}
.picked,.card span{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;
overflow:hidden;font-size:13px;line-height:1.45}
.picked{margin:2px 0 6px;padding-inline-start:9px;border-inline-start:3px solid var(--ink);
white-space:normal}
.said>:first-child,blockquote>:first-child{margin-top:0}
.said>:last-child,li>:last-child,blockquote>:last-child{margin-bottom:0}
.said p,ul,ol,.wide,blockquote{margin:0 0 12px}
.said ul,.said ol{padding-inline-start:22px}
.said ul{list-style:disc}
li ul,li ol,.said li+li{margin-top:4px}
h3,h4,h5,h6{margin:18px 0 6px;font-size:15px;font-weight:600}
h3{font-size:17px}
hr{margin:16px 0;border:0;border-top:1px solid var(--line)}
blockquote{padding-inline-start:12px;border-inline-start:3px solid var(--line);color:var(--dim)}
code{padding:1px 5px;border-radius:5px;background:var(--soft);
font:.88em/1.5 ui-monospace,Menlo,Consolas,monospace}
.wide{overflow:auto;border:1px solid var(--line);border-radius:10px;font-size:14px;
overflow-wrap:normal}
pre{padding:12px 14px;background:var(--soft);direction:ltr;text-align:left}
pre code{padding:0;background:none}
table{width:100%;border-collapse:collapse;line-height:1.45}
th,td{padding:7px 12px;text-align:start;vertical-align:top;border-top:1px solid var(--line)}
th{border:0;background:var(--soft);font-weight:600}
a{border-radius:3px;color:var(--ink);text-underline-offset:3px}
sup{line-height:0;vertical-align:baseline;white-space:nowrap}
.cite,.card b{position:relative;margin-inline:3px 1px;padding:2px 5px;border:0;border-radius:6px;
background:var(--tint);color:var(--ink);font-size:11px;font-weight:600;line-height:13px;
text-align:center;text-decoration:none;vertical-align:4px;unicode-bidi:isolate}
.cite::after{content:"";position:absolute;inset:-4px}
.wait{display:flex;gap:10px;align-items:center;color:var(--dim)}
.dots{display:flex;gap:4px}
.dots i{width:6px;height:6px;border-radius:50%;background:var(--ink);opacity:.5}
.label{margin:16px 0 8px;font-size:13px;font-weight:600;color:var(--dim)}
.cards{display:grid;gap:8px}
.card{display:flex;gap:10px;padding:10px 12px;border:1px solid var(--line);border-radius:12px;
color:inherit;text-decoration:none}
.card b{flex:none;align-self:start;margin:1px 0 0;min-width:20px;line-height:16px}
.card strong{display:block;font-size:14px;font-weight:600}
a.card strong{color:var(--ink)}
.card span{color:var(--dim)}
.lit{border-color:var(--ink);background:var(--tint)}
.lit span{-webkit-line-clamp:none;color:var(--text)}
.rate{display:flex;flex-wrap:wrap;gap:2px;align-items:center;margin-top:10px;font-size:13px;
color:var(--dim)}
.rate>span{margin-inline-end:6px}
.thumb[aria-pressed=true]{background:var(--tint);color:var(--ink)}
.more,.told{flex-basis:100%;margin:6px 0 0}
.more label{display:grid;gap:6px;margin-bottom:8px;color:var(--text)}
.small{min-height:32px;padding:4px 14px;border-color:var(--edge);border-radius:22px;
background:var(--bg);color:var(--text);font-size:14px;font-weight:600}
.small[aria-disabled=true]{border-color:var(--line);color:var(--dim)}
.bad{display:grid;grid-template-columns:auto 1fr;justify-items:start;gap:4px 10px;padding:12px 14px;
border:1px solid transparent;border-radius:12px;background:var(--bads)}
.said:not(:empty)~*>.bad{margin-top:12px}
.bad svg{margin-top:2px;color:var(--bad)}
.bad p{margin:0}
.bad .small{grid-column:2;margin-top:6px}
.calm{--bad:var(--dim);background:var(--soft)}
.net{margin:0;padding:9px 20px;background:var(--soft);font-size:14px}
.foot{padding:12px 14px max(14px,env(safe-area-inset-bottom))}
.box{display:flex;flex-wrap:wrap;gap:8px;align-items:flex-end;padding:6px;
border:1px solid var(--edge);border-radius:var(--r)}
.box:focus-within{border-color:var(--ink);box-shadow:0 0 0 1px var(--ink)}
textarea{display:block;width:100%;padding:6px 10px;border-color:var(--edge);color:var(--text);
font-size:16px;line-height:1.4;resize:none}
.box textarea{flex:1;width:0;height:36px;border-color:transparent;outline:0}
textarea::placeholder{color:var(--dim);opacity:1}
.go{width:36px;height:36px;background-color:var(--a);color:var(--on)}
.go[aria-disabled=true]{background:var(--soft);color:var(--dim)}
.chip{display:flex;flex-basis:100%;gap:6px;padding:8px 6px 8px 10px;border-radius:10px;
background:var(--soft)}
.chip div{flex:1;min-width:0}
.chip small{font-size:13px;font-weight:600;color:var(--dim)}
.chip .picked{margin-bottom:0}
.count{margin:6px 8px 0;font-size:13px;color:var(--dim);text-align:end}
.over{color:var(--bad);font-weight:600}
@media (hover:hover){.tool:hover,.thumb:hover,.idea:hover,a.card:hover{background:var(--soft)}}
@media (max-width:480px){
.root>.panel{inset:0 0 auto;width:100%;height:var(--seen,100dvh);border:0;border-radius:0}
.head{padding-top:max(8px,env(safe-area-inset-top))}
.log{padding-inline:16px}
.box textarea{height:44px;padding-block:9px}}
@media (prefers-reduced-motion:no-preference){
.panel{animation:rise .18s ease-out}
.log{scroll-behavior:smooth}
.dots i{animation:beat 1.2s infinite}
.dots i+i{animation-delay:.2s}
.dots i+i+i{animation-delay:.4s}}
@keyframes rise{from{opacity:0;transform:translateY(10px)}}
@keyframes beat{50%{opacity:1}}
@media (forced-colors:active){
.asked,.bad,.chip,.cite{border:1px solid!important}
[aria-pressed=true]{outline:3px solid}
.dots i{background:CanvasText}}`;

/* ---- The button, and what holds everything ---- */

// A child of <html>: a body that is transformed, inert or replaced would take it along.
const host = make('footnote-widget');
const shadow = host.attachShadow({ mode: 'open' });

function style(text) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
}
style(STYLES);

const dark = matchMedia('(prefers-color-scheme: dark)');
const narrow = matchMedia('(max-width: 480px)');
const isPhone = () => narrow.matches;

const launch = tool('launch', 'open', openPicked, 'chat');
launch.setAttribute('aria-haspopup', 'dialog');
const root = make('div.root', {}, make('section', { 'aria-label': say('title') }, launch));
shadow.append(root);

/** A click here must not take away what is selected on the page. */
function keepSelection(node) {
  node.addEventListener('mousedown', (event) => event.preventDefault());
  return node;
}
keepSelection(launch);

function dress() {
  const page = document.documentElement;
  root.classList.toggle('dark', said.theme ? said.theme === 'dark' : dark.matches);
  root.dir = (said.dir || page.dir || document.body.dir) === 'rtl' ? 'rtl' : 'ltr';
  // Words that the page brings are in its language.
  root.lang = said.lang || (said.texts && page.lang) || 'en';
  host.style.setProperty('--look', state.look.accent || null);
}

// What is typed here is no shortcut of the page, and focus none of its business.
for (const name of ['keydown', 'keypress', 'keyup', 'focusin', 'focusout']) {
  root.addEventListener(name, (event) => event.stopPropagation());
}

/* ---- The panel ---- */

let panel = null; // its parts, once it was opened
let before = null; // what had the focus then
let running = null; // aborts the question
let follows = true; // what is new is scrolled to
const views = new Map(); // of turns

function build() {
  style(PANEL_STYLES);
  const words = say('placeholder');
  const writing = {
    rows: 1, placeholder: words, 'aria-label': words, 'aria-describedby': 'count',
    enterkeyhint: 'send', autocomplete: 'off', input: typed, keydown: entered,
  };
  const dialog = {
    role: 'dialog', 'aria-labelledby': 'title', tabindex: -1, hidden: '',
    keydown: keyed,
  };
  const hello = make('div.hello'), turns = make('ol.turns');
  const parts = {
    hello, turns,
    title: make('h2', { id: 'title', dir: 'auto' }),
    net: make('p.net', {}, say('offline')),
    log: wide('div', 'conversation', [hello, turns]),
    chip: make('div.chip'),
    input: make('textarea', writing),
    send: tool('go', 'send', submit),
    stop: tool('go', 'stop', () => running.abort(failure('STOPPED'))),
    count: make('p.count', { id: 'count' }),
    live: make('div.sr', { role: 'status', 'aria-live': 'polite' }),
  };
  const { title, net, chip, input, send, stop, count, live } = parts;
  parts.log.className = 'log';
  for (const name of ['wheel', 'touchmove', 'pointerdown', 'keydown']) {
    parts.log.addEventListener(name, () => (follows = false));
  }
  const node = make('div.panel', dialog,
    make('div.head', {}, title, tool('tool', 'restart', restart), tool('tool', 'close', close)),
    net, parts.log,
    make('div.foot', {}, make('div.box', {}, chip, input, send, stop), count), live);
  panel = { node, ...parts };
  root.append(node);
  input.value = state.draft;
  for (const turn of state.turns) show(turn);
  for (const name of ['online', 'offline']) {
    addEventListener(name, () => {
      refresh();
      announce(say(name));
    });
  }
  addEventListener('pagehide', save);
  // A phone's keyboard covers the rest.
  visualViewport?.addEventListener('resize', () =>
    node.style.setProperty('--seen', `${Math.round(visualViewport.height)}px`));
  refresh();
  chipped();
  lookUp();
}

/** How the site wants it; it does as well without. */
async function lookUp() {
  if (!site) return;
  try {
    const response = await fetched(`api/v1/sites/${encodeURIComponent(site)}/look`);
    if (!response.ok) return;
    state.look = lookOf((await response.json()).look);
  } catch {
    return;
  }
  save();
  dress();
  refresh();
}

function refresh() {
  const told = parsed(said.suggestions);
  const ideas = told ? lookOf({ suggestions: told }).suggestions : state.look.suggestions;
  panel.title.textContent = styled('title');
  panel.net.hidden = navigator.onLine !== false;
  panel.hello.hidden = state.turns.length > 0;
  panel.stop.hidden = !running;
  panel.send.hidden = Boolean(running);
  panel.hello.replaceChildren(
    spoken('p', styled('greeting')), spoken('p', say('hint')),
    ...ideas.map((idea) => button('idea', () => asked(idea), spoken('span', idea))),
  );
  for (const view of views.values()) view.refresh();
}

/** For screen readers; what was said before is said again. */
function announce(text) {
  panel.live.textContent = '';
  setTimeout(() => panel.live.replaceChildren(text), 50);
}

/** Follows the answer as long as its question is seen, unless the reader has moved. */
function scroll(always) {
  const { log, turns } = panel;
  const most = log.scrollHeight - log.clientHeight;
  const wanted = Math.min(most, (turns.lastChild?.offsetTop ?? 0) - 16);
  if (always || (follows && wanted > log.scrollTop)) log.scrollTop = wanted;
  follows ||= always;
}

/** Where focus goes: on a phone, the input would bring up the keyboard. */
function rest() {
  (isPhone() ? panel.node : panel.input).focus({ preventScroll: true });
}

function open({ selection = '', focus = true } = {}) {
  if (!panel) build();
  about?.remove();
  if (selection) attach(selection);
  if (panel.node.hidden) {
    before = deepest(document);
    dress();
    // Beside a panel that leaves it room, the page is there for everybody.
    panel.node.setAttribute('aria-modal', isPhone());
    panel.node.hidden = false;
    launch.hidden = state.open = true;
    typed();
    scroll(true);
    save();
    tell('open');
  }
  if (focus) selection ? panel.input.focus() : rest();
}

function close() {
  if (!panel || panel.node.hidden) return;
  const hadFocus = shadow.activeElement;
  panel.node.hidden = true;
  launch.hidden = state.open = false;
  save();
  if (hadFocus) {
    const returns = before?.isConnected && before !== document.body && !shadow.contains(before);
    (returns ? before : launch).focus({ preventScroll: true });
  }
  tell('close');
}

function deepest(tree) {
  const active = tree.activeElement;
  return active?.shadowRoot?.activeElement ? deepest(active.shadowRoot) : active;
}

function keyed(event) {
  if (event.key === 'Escape' && !event.isComposing) {
    event.preventDefault();
    close();
  } else if (event.key === 'Tab') {
    const all = [...panel.node.querySelectorAll('a,button,textarea,[tabindex="0"]')]
      .filter((one) => one.getClientRects().length);
    const at = all.indexOf(shadow.activeElement), last = all.length - 1;
    if (event.shiftKey ? at > 0 : at < last) return;
    event.preventDefault();
    all[event.shiftKey ? last : 0].focus();
  }
}

function restart() {
  running?.abort(failure('STOPPED'));
  state.session = uuid();
  state.turns = [];
  for (const view of views.values()) view.remove();
  views.clear();
  attach('');
  refresh();
  rest();
}

/* ---- Asking ---- */

function entered(event) {
  // Enter may belong to a word that is being composed.
  const composes = event.isComposing || event.keyCode === 229;
  if (event.key !== 'Enter' || event.shiftKey || composes) return;
  event.preventDefault();
  submit();
}

function typed() {
  const { input, count, send } = panel;
  const left = LONGEST_MESSAGE - length(input.value.trim()), isOver = left < 0;
  const words = say(isOver ? 'over' : 'left', { n: Math.abs(left) });
  if (isOver && !count.classList.contains('over')) announce(words);
  count.hidden = left > LONGEST_MESSAGE / 10;
  count.textContent = words;
  count.classList.toggle('over', isOver);
  input.setAttribute('aria-invalid', isOver);
  send.setAttribute('aria-disabled', isOver || isBlank(input.value));
  input.dir = input.value ? 'auto' : root.dir;
  input.style.height = '';
  const { scrollHeight, offsetHeight } = input;
  if (scrollHeight > offsetHeight) input.style.height = `${Math.min(scrollHeight + 2, 168)}px`;
  state.draft = input.value;
}

function submit() {
  if (!asked(panel.input.value)) return;
  panel.input.value = '';
  typed();
}

/** Whether it was sent: one at a time, and as the contract wants it. */
function asked(text) {
  const question = whole(text.trim());
  if (running || isBlank(question)) return false;
  if (length(question) > LONGEST_MESSAGE) {
    announce(say('error_MESSAGE_TOO_LONG'));
    return false;
  }
  const turn = turnOf({ question, selection: state.selection });
  state.turns = [...state.turns, turn].slice(-MOST_TURNS);
  attach('');
  show(turn);
  ask(turn);
  return true;
}

async function ask(turn) {
  const control = new AbortController(), { signal } = control;
  const late = setTimeout(() => control.abort(failure('TIMEOUT')), PATIENCE);
  const view = views.get(turn);
  const tried = () => answered(turn, signal, view.piece);
  running = control;
  turn.code = 'INTERRUPTED';
  turn.until = 0;
  turn.session = state.session;
  save();
  view.begin();
  refresh();
  rest();
  scroll(true);
  announce(say('searching'));
  tell('question', { question: turn.question, selection: turn.selection });
  try {
    if (navigator.onLine === false) throw failure('OFFLINE');
    const told = await tried().catch((problem) => {
      if (problem.code !== 'INVALID_SESSION_ID') throw problem;
      state.session = turn.session = uuid();
      return tried();
    });
    Object.assign(turn, told, { code: '' });
    const { question, answer, sources, id } = turn;
    tell('answer', { question, answer, sources, answer_id: id });
  } catch (problem) {
    const { code = 'INTERNAL_ERROR', wait = 0 } = signal.aborted ? signal.reason : problem;
    // A page that is left breaks off its calls: then nothing comes after this.
    await new Promise((resolve) => setTimeout(resolve, code === 'BROKEN' ? 100 : 0));
    turn.code = code;
    turn.until = wait && Date.now() + wait * 1000;
    tell('error', { question: turn.question, code, retry_after: wait });
  }
  clearTimeout(late);
  running = null;
  refresh();
  if (!views.has(turn)) return; // another conversation has begun
  save();
  view.end();
  announce(turn.code ? say(`error_${turn.code}`) : `${say('answer')} ${view.text()}`);
  scroll(false);
}

/* ---- A question and its answer ---- */

function show(turn) {
  const answer = make('div.said', { lang: document.documentElement.lang || null });
  const dots = make('span.dots', { 'aria-hidden': true }, make('i'), make('i'), make('i'));
  const wait = make('div.wait', {}, dots, say('searching'));
  const tail = make('div');
  const about = turn.selection ? [spoken('p.picked', cut(turn.selection, 300))] : [];
  const node = make('li.turn', {},
    make('div.asked', {}, unseen(say('question')), about, spoken('div', turn.question)),
    answer, wait, tail);
  const paint = painter(answer);
  let text = '', due = 0, pause = 16, clock = 0;
  const view = { begin, piece, end, refresh: () => {}, remove, text: () => answer.textContent };
  views.set(turn, view);
  panel.turns.append(node);
  end();

  function begin() {
    stop();
    text = '';
    paint('');
    tail.replaceChildren();
    wait.hidden = false;
    view.refresh = () => {};
  }

  function piece(more) {
    text += more;
    due ||= setTimeout(draw, pause);
  }

  /** The longer it takes, the rarer it is done. */
  function draw() {
    const began = performance.now();
    due = 0;
    wait.hidden = true;
    paint(text, (n) => make('sup', {}, make('span.cite', {}, n)));
    scroll(false);
    pause = 16 + 4 * (performance.now() - began);
  }

  function stop() {
    clearTimeout(due);
    clearInterval(clock);
    due = 0;
  }

  function remove() {
    stop();
    node.remove();
  }

  function end() {
    stop();
    if (turn.code) {
      if (text) draw();
      tail.replaceChildren(problem());
    } else {
      const cards = new Map(turn.sources.map((one) => {
        const url = placeOf(one, turn.answer);
        return [one.n, { one, url, card: card(one, url) }];
      }));
      paint(turn.answer, (n) => cards.has(n) && cited(cards.get(n)), true);
      const items = Array.from(cards.values(), ({ card }) => make('li', {}, card));
      const list = [make('p.label', {}, say('sources')), make('ul.cards', {}, items)];
      tail.replaceChildren(...(cards.size ? list : []), ...(turn.id ? [rating(turn)] : []));
    }
    wait.hidden = true;
  }

  function problem() {
    const left = () => Math.max(0, Math.ceil((turn.until - Date.now()) / 1000));
    const again = button('small', () => isOff(again) || ask(turn));
    const kind = /STOP|INTERR|RATE|OFFLINE/.test(turn.code) ? 'bad calm' : 'bad';
    let waited = left();
    view.refresh = () => {
      const n = left();
      again.textContent = n ? say('retry_in', { n }) : say('retry');
      again.setAttribute('aria-disabled', Boolean(n || running || navigator.onLine === false));
      if (waited && !n) {
        clearInterval(clock);
        announce(say('retry_now'));
      }
      waited = n;
    };
    view.refresh();
    if (waited) clock = setInterval(() => view.refresh(), 250);
    const words = make('p', {}, say(`error_${turn.code}`));
    return make(`div.${kind}`, {}, icon('alert'), words, again);
  }
}

/** The number in the text: a link to the source, or a button that shows its card. */
function cited({ one, url, card }) {
  const named = { class: 'cite', 'aria-label': say('source', one) };
  const light = () => {
    card.classList.add('lit');
    card.focus();
  };
  return make('sup', {}, url ? link(url, named, one.n)
    : make('button', { type: 'button', ...named, click: light }, one.n));
}

function card(one, url) {
  const parts = [make('b', { 'aria-hidden': true }, one.n),
    make('div', {}, spoken('strong', one.title || say('untitled')),
      spoken('span', inline(one.excerpt, () => null, true)))];
  return url ? link(url, { class: 'card' }, parts) : make('div.card', { tabindex: -1 }, parts);
}

/* ---- Was it helpful? ---- */

function rating(turn) {
  const told = make('p.told', { role: 'status' });
  const comment = make('textarea', { rows: 2, dir: 'auto', maxlength: 2000 });
  const send = () => rate(false, comment.value.trim());
  const form = make('div.more', { hidden: '' }, make('label', {}, say('comment'), comment),
    button('small', send, say('comment_send')));
  const yes = tool('thumb', 'yes', () => rate(true)), no = tool('thumb', 'no', () => rate(false));
  const press = (helpful) => {
    yes.setAttribute('aria-pressed', helpful === true);
    no.setAttribute('aria-pressed', helpful === false);
  };
  press(turn.helpful);

  async function rate(helpful, words = '') {
    const control = new AbortController(), late = setTimeout(() => control.abort(), PATIENCE);
    const comment = words ? whole(words) : undefined;
    const body = () => ({ answer_id: turn.id, session_id: turn.session, helpful, comment });
    if (words) no.focus(); // what had the focus goes away
    form.hidden = helpful || Boolean(words);
    press(helpful);
    told.textContent = '';
    form.scrollIntoView({ block: 'nearest' });
    try {
      await post('api/v1/feedback', body, 'application/json', control.signal);
      turn.helpful = helpful;
      save();
      told.textContent = say('thanks');
      tell('feedback', { answer_id: turn.id, helpful, comment: words });
    } catch ({ code = 'INTERNAL_ERROR' }) {
      press(turn.helpful);
      form.hidden = !words || code === 'NOT_FOUND';
      told.textContent = say(code === 'NOT_FOUND' ? 'feedback_gone'
        : /^(OFFLINE|RATE)/.test(code) ? `error_${code}` : 'feedback_failed');
      tell('error', { code, answer_id: turn.id });
    }
    clearTimeout(late);
    told.scrollIntoView({ block: 'nearest' });
  }

  return make('div.rate', {}, make('span', {}, say('helpful')), yes, no, form, told);
}

/* ---- Asking about what is selected ---- */

let about = null; // the button at the selection
let isPressed = false, looking = 0;

/** What is selected on the page, but not in what somebody writes there. */
function picked() {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed) return '';
  const { anchorNode, focusNode } = selection;
  const isOurs = (node) => node === host || (node !== launch && shadow.contains(node));
  for (const node of [deepest(document), anchorNode, focusNode]) {
    const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    const isWritten = element?.isContentEditable || element?.matches?.('input,textarea,select');
    if (isWritten || isOurs(element)) return '';
  }
  return selection.toString().trim();
}

function openPicked() {
  open({ selection: picked() });
}

function attach(text) {
  state.selection = whole(cut(text, LONGEST_SELECTION));
  save();
  chipped();
}

function chipped() {
  const isCut = length(state.selection) === LONGEST_SELECTION;
  const drop = () => {
    attach('');
    panel.input.focus();
  };
  panel.chip.hidden = !state.selection;
  panel.chip.replaceChildren(
    make('div', {}, make('small', {}, say(isCut ? 'selection_cut' : 'selection')),
      spoken('p.picked', cut(state.selection, 300))),
    tool('tool', 'remove', drop, 'close'),
  );
}

function look() {
  const range = !isPressed && picked() && document.getSelection().getRangeAt(0);
  const end = range && [...range.getClientRects()].pop();
  if (!end || end.bottom < 0 || end.top > innerHeight) return about?.remove();
  about ??= keepSelection(button('about', openPicked, icon('about'), say('about')));
  root.prepend(about);
  // Below it: above, phones have a menu of their own.
  const { offsetWidth: width, offsetHeight: height } = about;
  const x = Math.min(root.dir === 'rtl' ? end.left : end.right - width, innerWidth - width - 8);
  const y = end.bottom + height + 16 > innerHeight ? end.top - height - 8 : end.bottom + 8;
  about.style.left = `${Math.max(8, x)}px`;
  about.style.top = `${Math.max(8, y)}px`;
}

function lookSoon() {
  clearTimeout(looking);
  looking = setTimeout(look, 150);
}

/* ---- For the page's scripts ---- */

const listeners = new Map();

function tell(name, detail = {}) {
  for (const listener of listeners.get(name) ?? []) queueMicrotask(() => listener(detail));
}

const Footnote = {
  open: () => open(),
  close,
  /** Opens it and asks; if it cannot, that is left in the input. */
  ask(text, { selection = '' } = {}) {
    open({ selection: String(selection) });
    const isSent = asked(String(text));
    if (!isSent) {
      panel.input.value = String(text);
      typed();
    }
    return isSent;
  },
  /** Asked for a token before every question. */
  auth(getToken) {
    signIn = getToken;
  },
  on(name, listener) {
    listeners.set(name, new Set(listeners.get(name)).add(listener));
  },
  off(name, listener) {
    listeners.get(name)?.delete(listener);
  },
};

function begin() {
  restore();
  dress();
  document.documentElement.append(host);
  dark.addEventListener('change', dress);
  document.addEventListener('selectionchange', lookSoon);
  for (const name of ['pointerdown', 'pointerup', 'pointercancel']) {
    addEventListener(name, () => {
      isPressed = name === 'pointerdown';
      if (!isPressed) lookSoon();
    }, true);
  }
  addEventListener('scroll', () => about?.isConnected && lookSoon(), true);
  // A phone's panel would cover the page.
  if (state.open && !isPhone()) open({ focus: false });
  document.dispatchEvent(new CustomEvent('footnote:ready'));
}

Object.defineProperty(window, 'Footnote', { value: Object.freeze(Footnote) });
if (document.readyState !== 'loading') begin();
else document.addEventListener('DOMContentLoaded', begin);
})();
