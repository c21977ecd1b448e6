/*
 * Footnote's chat for any web page: one file, no dependencies.
 *
 *   <script src="https://api.example/widget.js" data-site="site_…" defer></script>
 *
 * Attributes: data-site, data-api (else this script's own folder), data-theme (light, dark),
 * data-dir (ltr, rtl), data-lang, data-texts (JSON: any of TEXTS below), data-suggestions (JSON:
 * a list). CSS variables of the page: --footnote-accent, -background, -soft, -line, -text, -dim,
 * -font, -radius, -left, -right, -bottom, -width, -height, -layer.
 * From scripts: window.Footnote, once `footnote:ready` was dispatched on the document.
 *
 * The page may be hostile or merely odd. So all is in a shadow tree, styles are constructed (a
 * Content-Security-Policy without 'unsafe-inline' allows that), nodes are made one by one (no text
 * ever becomes HTML), and no own property is assigned that a frozen prototype has, too.
 */
(() => {
  'use strict';

  const script = document.currentScript instanceof HTMLScriptElement
    ? document.currentScript
    : document.querySelector('script[src*="widget.js"]');
  // A second tag does nothing; an element of the page with this id is not us.
  if (!script || typeof window.Footnote?.ask === 'function') return;

  const LONGEST_MESSAGE = 2000, LONGEST_SELECTION = 5000, LONGEST_COMMENT = 2000; // code points
  const LONGEST_ANSWER = 200000, MOST_TURNS = 50, MOST_SOURCES = 20;
  const PATIENCE = 35000; // the server gives up after 30 s, and says so
  const TIERS = ['anonymous', 'lightweight', 'full', 'premium'];
  const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

  /* Every word that is shown. {n} and {title} are filled in. */
  const TEXTS = {
    title: 'Ask a question',
    open: 'Ask a question',
    close: 'Close',
    restart: 'New conversation',
    greeting: 'What would you like to know? Answers come with their sources.',
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
    stopped: 'Stopped.',
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
    offline: 'You are offline. Your questions will work again once you are connected.',
    online: 'You are back online.',
    error_INVALID_REQUEST: 'This question could not be understood. Please put it differently.',
    error_MESSAGE_TOO_LONG: 'Your question is too long. Please use at most 2,000 characters.',
    error_SELECTED_TEXT_TOO_LONG: 'The selected text is too long. Please select less of it.',
    error_INVALID_SESSION_ID: 'Your conversation has expired. Please begin a new one.',
    error_UNAUTHORIZED: 'Your sign-in has expired. Please sign in again.',
    error_FORBIDDEN: 'This page is not allowed to ask questions here.',
    error_NOT_FOUND: 'This chat has not been set up yet, or is no longer there.',
    error_METHOD_NOT_ALLOWED: 'This chat is not set up correctly. Please tell the site’s owner.',
    error_CONFLICT: 'Something else was changed at the same moment. Please try again.',
    error_PAYLOAD_TOO_LARGE: 'That was too much at once. Please ask with less text.',
    error_UNSUPPORTED_MEDIA_TYPE: 'This chat is not set up correctly. Please tell the site’s owner.',
    error_RATE_LIMIT_EXCEEDED: 'That were many questions in a short time. Please wait a moment.',
    error_SERVICE_UNAVAILABLE: 'The answering service is busy or being looked after.',
    error_INTERNAL_ERROR: 'Something went wrong on our side. Please try again.',
    error_BROKEN: 'The answer broke off before it was complete.',
    error_NETWORK: 'The answering service cannot be reached at the moment.',
    error_OFFLINE: 'You are offline. Please try again once you are connected.',
    error_TIMEOUT: 'The answer took too long. Please try again.',
    error_NOT_UNDERSTOOD: 'The answer arrived in a form that could not be read.',
    error_INTERRUPTED: 'You left the page before the answer was there.',
    error_STOPPED: 'You stopped this answer.',
  };

  /* ---- What the page says ------------------------------------------------------------------ */

  const said = script.dataset;
  const site = said.site || '';
  const api = new URL(said.api ? said.api.replace(/\/?$/, '/') : '.', said.api ? document.baseURI : script.src);
  const own = parsed(said.texts);
  const isText = (value, most = 1e6) => typeof value === 'string' && value.length <= most;
  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const texts = new Map(Object.entries(TEXTS));
  for (const [key, value] of Object.entries(isObject(own) ? own : {})) {
    if (texts.has(key) && isText(value)) texts.set(key, value);
  }
  const isOwn = (key) => texts.get(key) !== TEXTS[key];

  function parsed(json) {
    try {
      return JSON.parse(json);
    } catch {
      return undefined;
    }
  }

  /** A text of the table, filled in. */
  function say(key, values = {}) {
    return texts.get(key).replace(/\{(n|title)\}/g, (_, name) => values[name] ?? '');
  }

  /* ---- Texts as the server counts them ------------------------------------------------------ */

  function length(text) {
    let count = 0;
    for (const _ of text) count += 1;
    return count;
  }

  const cut = (text, most) => Array.from(text.slice(0, 2 * most)).slice(0, most).join('');
  // Half a character has no place in JSON.
  const whole = (text) => text.replace(/\p{Cs}/gu, '\ufffd');
  // Python's idea of white space is a little wider than trim()'s.
  const isBlank = (text) => !/[^\s\x1c-\x1f\x85]/.test(text);

  function uuid() {
    if (crypto.randomUUID) return crypto.randomUUID();
    // Pages without https have no randomUUID.
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  /* ---- The conversation, kept for the tab --------------------------------------------------- */

  const KEY = `footnote:${site}`;
  const state = { session: uuid(), turns: [], draft: '', selection: '', open: false, look: {} };

  function source(raw, at) {
    if (!isObject(raw)) return null;
    const text = (value, most) => (isText(value) ? value.slice(0, most) : '');
    const n = Number.isInteger(raw.n) ? raw.n : at + 1;
    return { n, title: text(raw.title, 300), url: text(raw.url, 2000), excerpt: text(raw.excerpt, 400) };
  }

  const sources = (raw) =>
    (Array.isArray(raw) ? raw : []).slice(0, MOST_SOURCES).map(source).filter(Boolean);

  function lookOf(raw) {
    const look = isObject(raw) ? raw : {};
    const colour = isText(look.accent, 40) && /^(#|rgb|hsl|[a-z]+$)[\w\s#.,%()/]*$/i.test(look.accent);
    const told = Array.isArray(look.suggestions) ? look.suggestions : [];
    return {
      accent: colour && CSS.supports('color', look.accent) ? look.accent : '',
      title: isText(look.title, 100) ? look.title : '',
      greeting: isText(look.greeting, 500) ? look.greeting : '',
      suggestions: told.filter((one) => isText(one, 200) && !isBlank(one)).slice(0, 4),
    };
  }

  function turnOf(raw) {
    if (!isObject(raw) || !isText(raw.question, 2 * LONGEST_MESSAGE) || isBlank(raw.question)) return null;
    const answer = isText(raw.answer, LONGEST_ANSWER) ? raw.answer : null;
    return {
      question: raw.question,
      selection: isText(raw.selection, 2 * LONGEST_SELECTION) ? raw.selection : '',
      session: UUID_V4.test(raw.session) ? raw.session : state.session,
      answer,
      sources: sources(raw.sources),
      id: isText(raw.id, 128) ? raw.id : '',
      helpful: typeof raw.helpful === 'boolean' ? raw.helpful : null,
      code: answer === null ? (texts.has(`error_${raw.code}`) ? raw.code : 'INTERRUPTED') : '',
      until: Number.isFinite(raw.until) ? Math.min(raw.until, Date.now() + 36e5) : 0,
    };
  }

  /** What another script or version may have written there is not believed. */
  function restore() {
    let raw;
    try {
      raw = parsed(sessionStorage.getItem(KEY));
    } catch {
      return; // storage may be forbidden: then it is kept as long as the page is
    }
    if (!isObject(raw)) return;
    if (UUID_V4.test(raw.session)) state.session = raw.session;
    if (Array.isArray(raw.turns)) {
      for (const one of raw.turns.slice(-MOST_TURNS).map(turnOf)) if (one) state.turns.push(one);
    }
    if (isText(raw.draft, 20000)) state.draft = raw.draft;
    if (isText(raw.selection, 2 * LONGEST_SELECTION)) state.selection = raw.selection;
    state.open = raw.open === true;
    state.look = lookOf(raw.look);
  }

  function save() {
    for (let most = MOST_TURNS; most >= 1; most >>= 2) {
      try {
        sessionStorage.setItem(KEY, JSON.stringify({ ...state, turns: state.turns.slice(-most) }));
        return;
      } catch {
        // Full: what is newest matters most.
      }
    }
  }

  /* ---- Nodes -------------------------------------------------------------------------------- */

  /** An element; functions among its attributes listen to the event of that name. */
  function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === 'function') node.addEventListener(name, value);
      else if (value === true) node.setAttribute(name, '');
      else if (value !== false && value !== null) node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  }

  const ICONS = {
    chat: 'M21 11.5a8.4 8.4 0 0 1-12.3 7.5L3 21l2-5.4A8.4 8.4 0 1 1 21 11.5zM9 10h6.5M9 13.5h4',
    close: 'M6 6l12 12M18 6L6 18',
    restart: 'M12 5v14M5 12h14',
    send: 'M12 19V5M6 11l6-6 6 6',
    stop: 'M8 8h8v8H8z',
    yes: 'M7 10.5v9.5H4v-9.5zM7 10.5l4-7c1.500 0 2.500 1 2.500 2.500V9.500h4.700c1.300 0 2.200 1.200 1.900 2.400l-1.500 6.500c-.2 1-1.100 1.600-2 1.600H7',
    no: 'M7 13.500V4H4v9.500zM7 13.500l4 7c1.500 0 2.500-1 2.500-2.500V14.500h4.700c1.300 0 2.200-1.200 1.900-2.400l-1.500-6.500c-.2-1-1.100-1.600-2-1.600H7',
    quote: 'M5 17V7M9 8h10M9 12h10M9 16h6',
    alert: 'M12 8v5M12 16.500v.1M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  };

  function icon(name) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('aria-hidden', 'true');
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', ICONS[name]);
    svg.append(path);
    return svg;
  }

  const hidden = (text) => make('span', { class: 'sr' }, text);

  function button(kind, label, click, name) {
    return make('button', { type: 'button', class: kind, 'aria-label': name ? label : null, title: name ? label : null, click },
      name ? icon(name) : label);
  }

  /* ---- Links -------------------------------------------------------------------------------- */

  /** The address, if a link may lead there. */
  function address(text) {
    try {
      const url = new URL(text, document.baseURI);
      return text.trim() && /^https?:$/.test(url.protocol) ? url : null;
    } catch {
      return null;
    }
  }

  function link(url, attributes, ...children) {
    const away = url.origin !== location.origin;
    const node = make('a', { href: url.href, ...attributes, click: () => !away && isPhone() && close() }, ...children);
    if (away) {
      node.setAttribute('target', '_blank');
      node.setAttribute('rel', 'noopener noreferrer');
      node.append(hidden(` (${say('new_tab')})`));
    }
    return node;
  }

  /** The source's address; browsers mark its first words there, where they find them. */
  function placeOf(one) {
    const url = address(one.url);
    const words = one.excerpt.replace(/^[^\p{L}\p{N}“"(]+/u, '').split(/[|*_`#<>[\]\n…]/, 1)[0].split(/\s+/).filter(Boolean);
    // The last word may be cut; a page that is found by its fragment wants it as it is.
    const first = words.slice(0, Math.min(8, words.length - 1)).join(' ');
    if (url && words.length > 3 && !/^#[/!]/.test(url.hash)) {
      url.hash = `${url.hash}:~:text=${encodeURIComponent(first).replace(/-/g, '%2D')}`;
    }
    return url;
  }

  /* ---- Markdown, as nodes ------------------------------------------------------------------- */
  /* Each character is looked at a bounded number of times, whatever the text is made of. */

  const DEEPEST = 6;
  const FENCE = /^ {0,3}(`{3,}|~{3,})/;
  const ITEM = /^( {0,40})([-*+]|\d{1,9}[.)])( {1,4}|$)/;
  const HEADING = /^ {0,3}(#{1,6})(?: |$)/;
  const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;

  const cells = (row) => row.trim().replace(/^\|/, '').replace(/\|$/, '').split('|').map((cell) => cell.trim());
  const isTable = (lines, at) =>
    lines[at].includes('|') && at + 1 < lines.length && lines[at + 1].includes('-') &&
    cells(lines[at + 1]).every((cell) => /^:?-+:?$/.test(cell));
  const begins = (lines, at) =>
    FENCE.test(lines[at]) || HEADING.test(lines[at]) || /^ {0,3}>/.test(lines[at]) ||
    ITEM.test(lines[at]) || RULE.test(lines[at]) || isTable(lines, at);

  /** The blocks of these lines: what each is, and where it begins and ends. */
  function* blocks(lines, depth) {
    for (let at = 0; at < lines.length;) {
      const from = at, line = lines[at];
      const fence = FENCE.exec(line);
      const item = depth < DEEPEST && ITEM.exec(line);
      if (isBlank(line)) {
        at += 1;
        continue;
      }
      let kind = 'p';
      if (fence) {
        kind = 'pre';
        const isEnd = (other) => other.trimStart().startsWith(fence[1]) && !other.trim().replace(/^[`~]+/, '');
        do at += 1; while (at < lines.length && !isEnd(lines[at]));
        at += 1;
      } else if (HEADING.test(line)) {
        kind = 'h';
        at += 1;
      } else if (RULE.test(line)) {
        kind = 'hr';
        at += 1;
      } else if (depth < DEEPEST && /^ {0,3}>/.test(line)) {
        kind = 'quote';
        while (at < lines.length && /^ {0,3}>/.test(lines[at])) at += 1;
      } else if (item) {
        kind = 'list';
        const ordered = /\d/.test(item[2]);
        for (at += 1; at < lines.length; at += 1) {
          const next = ITEM.exec(lines[at]);
          const inside = /^ */.exec(lines[at])[0].length >= item[1].length + 2;
          const ends = isBlank(lines[at - 1]) || begins(lines, at);
          if (isBlank(lines[at]) || inside) continue;
          if (next ? /\d/.test(next[2]) !== ordered || RULE.test(lines[at]) : ends) break;
        }
      } else if (isTable(lines, at)) {
        kind = 'table';
        do at += 1; while (at < lines.length && lines[at].includes('|'));
      } else {
        do at += 1; while (at < lines.length && !isBlank(lines[at]) && !begins(lines, at));
      }
      yield { kind, lines: lines.slice(from, at) };
    }
  }

  function block({ kind, lines }, cite, depth) {
    switch (kind) {
      case 'pre': {
        const fence = FENCE.exec(lines[0])[1];
        const closed = lines.length > 1 && lines[lines.length - 1].trimStart().startsWith(fence);
        const code = lines.slice(1, closed ? -1 : undefined).join('\n');
        return make('pre', { tabindex: 0, role: 'region', 'aria-label': say('code'), dir: 'ltr' }, make('code', {}, code));
      }
      case 'h': {
        const level = HEADING.exec(lines[0])[1].length;
        const title = lines[0].trim().replace(/^#+/, '').replace(/ #+$/, '').trim();
        return make(`h${Math.min(6, level + 2)}`, { dir: 'auto' }, inline(title, cite));
      }
      case 'hr':
        return make('hr');
      case 'quote': {
        const inner = lines.map((line) => line.replace(/^ {0,3}> ?/, ''));
        return make('blockquote', { dir: 'auto' }, ...children(inner, cite, depth + 1));
      }
      case 'list':
        return list(lines, cite, depth);
      case 'table': {
        const row = (line, tag) => make('tr', {}, ...cells(line).map((cell) => make(tag, { dir: 'auto' }, inline(cell, cite))));
        const table = make('table', {}, make('thead', {}, row(lines[0], 'th')),
          make('tbody', {}, ...lines.slice(2).map((line) => row(line, 'td'))));
        return make('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': say('table') }, table);
      }
      default:
        return make('p', { dir: 'auto' }, inline(lines.join('\n').trim(), cite));
    }
  }

  function children(lines, cite, depth) {
    return Array.from(blocks(lines, depth), (one) => block(one, cite, depth));
  }

  function list(lines, cite, depth) {
    const [, indent, marker] = ITEM.exec(lines[0]);
    const node = make(/\d/.test(marker) ? 'ol' : 'ul', { dir: 'auto', start: /\d/.test(marker) ? parseInt(marker, 10) : null });
    let held = [];
    const finish = () => {
      if (!held.length) return;
      const inner = Array.from(blocks(held, depth + 1));
      const parts = inner.map((one) => block(one, cite, depth + 1));
      // A lone line needs no paragraph of its own around it.
      const tight = inner.length && inner[0].kind === 'p' ? [...parts.shift().childNodes] : [];
      node.append(make('li', {}, ...tight, ...parts));
    };
    for (const line of lines) {
      const item = ITEM.exec(line);
      if (item && item[1].length < indent.length + 2) {
        finish();
        held = [line.slice(item[0].length)];
      } else {
        const spaces = /^ */.exec(line)[0].length;
        held.push(line.slice(Math.min(spaces, indent.length + marker.length + 1)));
      }
    }
    finish();
    return node;
  }

  const STOPS = /[\\`*_~[!\n]|https?:\/\//g;
  const TARGET = /\( {0,9}<?([^\s()<>]{0,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,2000})?)>?(?: {1,9}"[^"\n]{0,500}")? {0,9}\)/y;

  /** Where each `[` has its `]`, and each run of backticks the next one of its length. */
  function partners(text) {
    const found = new Map(), open = [], runs = [], next = new Map();
    for (const match of text.matchAll(/\\.|[[\]]|`+/g)) {
      const [sign] = match;
      if (sign === '[') open.push(match.index);
      else if (sign === ']' && open.length) found.set(open.pop(), match.index);
      else if (sign[0] === '`') runs.push(match);
    }
    for (const { 0: { length: size }, index } of runs.reverse()) {
      if (next.has(size)) found.set(index, next.get(size));
      next.set(size, index);
    }
    return found;
  }

  /** The nodes of a line of text: code, links, citations and emphasis. */
  function inline(text, cite, within = false) {
    const pairs = partners(text);
    const parts = []; // strings, nodes, and marks of emphasis
    const open = [];
    let at = 0;
    const take = (part, to) => {
      parts.push(part);
      at = to;
    };
    for (const match of text.matchAll(STOPS)) {
      const { 0: sign, index } = match;
      if (index < at) continue;
      if (index > at) take(text.slice(at, index), index);
      if (sign === '\\') {
        const next = text[index + 1];
        if (next === '\n') take(make('br'), index + 2);
        else if (next && /[!-/:-@[-`{-~]/.test(next)) take(next, index + 2);
      } else if (sign === '`') {
        const run = /`+/y;
        run.lastIndex = index;
        const size = run.exec(text)[0].length, end = pairs.get(index);
        if (end === undefined) take(text.slice(index, index + size), index + size);
        else take(make('code', { dir: 'auto' }, text.slice(index + size, end).trim()), end + size);
      } else if (sign === '\n') {
        if (/ {2}$/.test(text.slice(Math.max(0, index - 2), index))) take(make('br'), index + 1);
      } else if (sign === '[') {
        const end = pairs.get(index);
        const number = end - index <= 4 && /^\d+$/.test(text.slice(index + 1, end)) && text[end + 1] !== '(';
        const cited = number && cite(Number(text.slice(index + 1, end)));
        TARGET.lastIndex = end + 1;
        const target = !cited && !within && end !== undefined && TARGET.exec(text);
        if (cited) take(cited, end + 1);
        else if (target) {
          const url = address(target[1]);
          const words = inline(text.slice(index + 1, end), cite, true);
          take(url ? link(url, {}, words) : words, end + 1 + target[0].length);
        }
      } else if (sign === '!') {
        // A picture is loaded from nowhere: its words are a link.
        if (text[index + 1] === '[' && pairs.has(index + 1)) at = index + 1;
      } else if (sign[0] === 'h') {
        const address_ = /[^\s<>"'`*]{1,2000}/y;
        address_.lastIndex = index;
        const bare = address_.exec(text)[0].replace(/[.,;:!?)\]]{1,9}$/, '');
        const url = !within && address(bare);
        if (url) take(link(url, {}, bare), index + bare.length);
      } else {
        emphasis(index);
      }
    }
    if (at < text.length) parts.push(text.slice(at));
    return assembled(parts);

    function emphasis(index) {
      const sign = text[index];
      let size = 1;
      while (size < 4 && text[index + size] === sign) size += 1;
      const before = text[index - 1] ?? ' ', after = text[index + size] ?? ' ';
      const word = /[\p{L}\p{N}]/u;
      const may = size < 4 && (sign !== '~' || size === 2);
      const closes = may && /\S/.test(before) && (sign !== '_' || !word.test(after));
      const opens = may && /\S/.test(after) && (sign !== '_' || !word.test(before));
      let left = size;
      while (closes && left) {
        let top = open.length - 1;
        while (top >= 0 && !(open[top].sign === sign && open[top].size <= left)) top -= 1;
        if (top < 0) break;
        const [start] = open.splice(top);
        start.tag = sign === '~' ? 'del' : start.size === 2 ? 'strong' : 'em';
        parts.push({ end: start });
        left -= start.size;
      }
      while (left && opens && open.length < DEEPEST) {
        const mark = { sign, size: left >= 2 ? 2 : 1, tag: '' };
        open.push(mark);
        parts.push(mark);
        left -= mark.size;
      }
      if (left) parts.push(sign.repeat(left));
      at = index + size;
    }
  }

  function assembled(parts) {
    const top = document.createDocumentFragment();
    const stack = [top];
    for (const part of parts) {
      const node = stack[stack.length - 1];
      if (typeof part === 'string' || part instanceof Node) node.append(part);
      else if (part.end) stack.pop();
      else if (part.tag) {
        const inner = make(part.tag);
        node.append(inner);
        stack.push(inner);
      } else node.append(part.sign.repeat(part.size));
    }
    return top;
  }

  /** Shows a text that may still grow: blocks that are as before stay, and so does what a reader
   * has selected or focused in them. */
  function painter(target) {
    let shown = [];
    return (text, cite, anew = false) => {
      const told = text.slice(0, LONGEST_ANSWER).replace(/\t/g, '    ').replace(/\r\n?/g, '\n');
      const next = Array.from(blocks(told.split('\n'), 0));
      const keys = next.map((one) => `${one.kind} ${one.lines.join('\n')}`);
      let same = 0;
      while (!anew && same < shown.length && same < keys.length && shown[same] === keys[same]) same += 1;
      while (target.childNodes.length > same) target.lastChild.remove();
      target.append(...next.slice(same).map((one) => block(one, cite, 0)));
      shown = keys;
    };
  }

  /* ---- The wire ----------------------------------------------------------------------------- */

  let signIn = null;
  // Not an Error: a page that froze its prototypes would not let us say more in one.
  const failure = (code, wait = 0) => ({ code, wait });

  const STATUSES = {
    400: 'INVALID_REQUEST', 401: 'UNAUTHORIZED', 403: 'FORBIDDEN', 404: 'NOT_FOUND',
    405: 'METHOD_NOT_ALLOWED', 409: 'CONFLICT', 413: 'PAYLOAD_TOO_LARGE',
    415: 'UNSUPPORTED_MEDIA_TYPE', 429: 'RATE_LIMIT_EXCEEDED', 500: 'INTERNAL_ERROR',
    502: 'SERVICE_UNAVAILABLE', 503: 'SERVICE_UNAVAILABLE', 504: 'SERVICE_UNAVAILABLE',
  };

  function refusal(error, status, header) {
    const known = isObject(error) && texts.has(`error_${error.code}`) ? error.code : STATUSES[status];
    const code = known || (status >= 500 ? 'INTERNAL_ERROR' : 'NOT_UNDERSTOOD');
    const told = Number(isObject(error?.details) ? error.details.retry_after : NaN);
    const header_ = Number(header) || (Date.parse(header) - Date.now()) / 1000;
    const wait = told > 0 ? told : header_ > 0 ? header_ : 0;
    const waits = code === 'RATE_LIMIT_EXCEEDED' || code === 'SERVICE_UNAVAILABLE';
    return failure(code, waits ? Math.min(Math.ceil(wait), 3600) : 0);
  }

  function tierOf(token) {
    if (!token) return 'anonymous';
    const payload = parsed(decoded(token.split('.')[1]));
    if (!isObject(payload)) return 'anonymous';
    const tier = payload.tier ?? 'lightweight';
    return TIERS.includes(tier) ? tier : 'anonymous';
  }

  function decoded(text) {
    try {
      return atob(text.replace(/-/g, '+').replace(/_/g, '/'));
    } catch {
      return '';
    }
  }

  async function tokenOf(signal) {
    if (!signIn) return '';
    const left = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const told = await Promise.race([Promise.resolve().then(signIn), left]).catch((reason) => {
      throw signal.aborted ? reason : failure('UNAUTHORIZED');
    });
    return isText(told) && /^[!-~]+$/.test(told) ? told : '';
  }

  /** The answer to a POST, once it is a good one. */
  async function post(path, body, accept, signal) {
    for (let again = Boolean(signIn); ; again = false) {
      const token = await tokenOf(signal);
      const headers = { 'Content-Type': 'application/json', Accept: accept };
      if (site) headers['X-Site'] = site;
      if (token) headers.Authorization = `Bearer ${token}`;
      const response = await fetch(new URL(path, api), {
        method: 'POST', headers, body: JSON.stringify(body(tierOf(token))), signal, credentials: 'omit', cache: 'no-store',
      }).catch((reason) => {
        throw signal.aborted ? reason : failure(navigator.onLine === false ? 'OFFLINE' : 'NETWORK');
      });
      if (response.ok) return response;
      // A token may have expired since it was made; a page can make another one.
      if (response.status === 401 && again) continue;
      const told = parsed(await response.text().catch(() => ''));
      throw refusal(isObject(told) ? told.error : null, response.status, response.headers.get('Retry-After'));
    }
  }

  /** The events of a stream, each once it is whole. */
  async function* events(body) {
    const reader = body.getReader(), decoder = new TextDecoder();
    let rest = '', data = [];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A line may end in two characters, and the second be still to come.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop();
      for (const line of lines) {
        if (line.startsWith('data:')) data.push(line.slice(5));
        else if (line === '' && data.length) {
          yield parsed(data.join('\n'));
          data = [];
        }
      }
    }
  }

  /** Asks, tells of every piece, and returns the whole answer. Throws a failure. */
  async function answered(turn, signal, piece) {
    const body = (tier) => ({
      message: turn.question,
      context: {
        mode: turn.selection ? 'chat' : 'browse',
        ...(turn.selection && { selected_text: turn.selection }),
        // What a visitor has sent with the address is nobody's business.
        page_url: location.href.split(/[?#]/, 1)[0].slice(0, 2000),
        session_id: turn.session,
      },
      tier,
    });
    const response = await post('api/v1/chat', body, 'text/event-stream', signal);
    const broken = (reason) => {
      throw signal.aborted ? reason : failure(navigator.onLine === false ? 'OFFLINE' : 'BROKEN');
    };
    if (!/^text\/event-stream\b/i.test(response.headers.get('Content-Type') ?? '')) {
      return understood(parsed(await response.text().catch(broken)));
    }
    const stream = events(response.body);
    for (;;) {
      const { done, value: event } = await stream.next().catch(broken);
      if (done) throw failure('BROKEN');
      if (!isObject(event)) throw failure('NOT_UNDERSTOOD');
      if (event.type === 'chunk' && isText(event.text)) piece(event.text);
      if (event.type === 'error') throw refusal(event.error, 500, null);
      if (event.type === 'complete') return understood(event);
    }
  }

  function understood(told) {
    if (!isObject(told) || !isText(told.answer)) throw failure('NOT_UNDERSTOOD');
    const id = isText(told.answer_id, 128) ? told.answer_id : '';
    return { answer: told.answer.slice(0, LONGEST_ANSWER), sources: sources(told.sources), id };
  }

  /* ---- For the page's scripts --------------------------------------------------------------- */

  const listeners = new Map();

  function tell(name, detail) {
    for (const listener of [...(listeners.get(name) ?? [])]) {
      // A fault of theirs is reported as theirs, and does not stop us.
      queueMicrotask(() => listener(detail));
    }
  }

  /* ---- Styles ------------------------------------------------------------------------------- */

  // The first rule beats whatever the page says of all elements: of two that are important, the
  // one of the shadow tree wins. Sizes are in px: a page's root may have any font size.
  const CSS_TEXT = `
:host{all:initial!important;display:block!important;position:fixed!important;inset:0 auto auto 0!important;width:0!important;height:0!important;z-index:var(--footnote-layer,2147483000)!important}
*,::before,::after{box-sizing:border-box}
[hidden]{display:none!important}
.root{--a:var(--footnote-accent,var(--look,#4453d4));--bg:var(--footnote-background,#fff);--soft:var(--footnote-soft,#f4f5f8);--line:var(--footnote-line,#e2e5eb);--text:var(--footnote-text,#1a1d23);--dim:var(--footnote-dim,#5a6270);--bad:#b3261e;--bads:#fdf2f1;--edge:#878e9b;--r:var(--footnote-radius,16px);--on:#fff;--ink:var(--a);--tint:var(--soft);--shadow:0 1px 2px rgba(15,18,30,.08),0 12px 40px rgba(15,18,30,.18);color-scheme:light;color:var(--text);font:400 15px/1.55 var(--footnote-font,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif);-webkit-text-size-adjust:100%}
.root.dark{--bg:var(--footnote-background,#16181d);--soft:var(--footnote-soft,#20242b);--line:var(--footnote-line,#343a45);--text:var(--footnote-text,#eceff4);--dim:var(--footnote-dim,#a6aebb);--bad:#ffa59d;--bads:#2e2022;--edge:#727b8a;--shadow:0 1px 2px rgba(0,0,0,.5),0 12px 44px rgba(0,0,0,.6);color-scheme:dark}
@supports (color:color(from red xyz-d65 x y z)){
/* Any accent can be read: y is the luminance that contrast is counted by. */
.root{--k:calc(1*clamp(0,(.179 - y)*10000,1));--on:color(from var(--a) xyz-d65 calc(.9505*clamp(0,(.179 - y)*10000,1)) clamp(0,(.179 - y)*10000,1) calc(1.089*clamp(0,(.179 - y)*10000,1)));--ink:color(from var(--a) xyz-d65 calc(x*min(1,.13/max(y,.001))) min(y,.13) calc(z*min(1,.13/max(y,.001))));--tint:color-mix(in srgb,var(--a) 11%,var(--bg))}
.root.dark{--ink:color(from var(--a) xyz-d65 calc(x + (.9505 - x)*max(0,(.36 - y)/(1.001 - y))) max(y,.36) calc(z + (1.089 - z)*max(0,(.36 - y)/(1.001 - y))));--tint:color-mix(in srgb,var(--a) 24%,var(--bg))}}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
svg{display:block;width:20px;height:20px;fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round;pointer-events:none}
button{font:inherit;color:inherit;margin:0;padding:0;border:1px solid transparent;background:none;cursor:pointer;border-radius:10px;-webkit-tap-highlight-color:transparent;touch-action:manipulation}
button[aria-disabled=true]{cursor:default}
:focus{outline:none}
:focus-visible{outline:2px solid var(--ink);outline-offset:2px}
.launch,.panel{position:fixed;left:var(--footnote-left,auto);right:var(--footnote-right,20px);bottom:var(--footnote-bottom,20px)}
.root[dir=rtl] .launch,.root[dir=rtl] .panel{left:var(--footnote-left,20px);right:var(--footnote-right,auto)}
.launch{display:grid;place-items:center;width:56px;height:56px;border-radius:50%;background:var(--a);color:var(--on);box-shadow:0 1px 2px rgba(15,18,30,.2),0 6px 20px rgba(15,18,30,.24)}
.launch svg{width:26px;height:26px}
.launch:focus-visible,.about:focus-visible{outline:3px solid var(--ink);outline-offset:3px}
.about{position:fixed;display:flex;gap:6px;align-items:center;min-height:36px;padding:5px 14px 5px 10px;border:1px solid var(--line);border-radius:18px;background:var(--bg);color:var(--text);font-size:14px;font-weight:500;white-space:nowrap;box-shadow:var(--shadow)}
.about svg{width:18px;height:18px;color:var(--ink)}
.panel{display:flex;flex-direction:column;width:min(var(--footnote-width,408px),calc(100vw - 40px));height:min(var(--footnote-height,660px),calc(100vh - 40px));height:min(var(--footnote-height,660px),calc(100dvh - 40px));overflow:hidden;border:1px solid var(--line);border-radius:var(--r);background:var(--bg);box-shadow:var(--shadow)}
header{display:flex;gap:4px;align-items:center;padding:12px 12px 12px 20px;border-bottom:1px solid var(--line)}
.root[dir=rtl] header{padding:12px 20px 12px 12px}
h2{flex:1;min-width:0;margin:0;overflow:hidden;font-size:16px;font-weight:650;line-height:1.4;letter-spacing:-.005em;white-space:nowrap;text-overflow:ellipsis}
.tool{display:grid;place-items:center;flex:none;width:34px;height:34px;color:var(--dim)}
.log{flex:1;min-height:0;overflow:hidden auto;padding:20px;overscroll-behavior:contain;scrollbar-width:thin;scrollbar-color:var(--edge) transparent}
.log:focus-visible,pre:focus-visible,.wide:focus-visible{outline-offset:-2px}
.turns{margin:0;padding:0;list-style:none}
.turn+.turn{margin-top:28px}
.hello{display:flex;flex-direction:column;min-height:100%;justify-content:flex-end;gap:8px}
.hello p{margin:0 0 8px;font-size:20px;font-weight:600;line-height:1.35;letter-spacing:-.012em;text-wrap:balance}
.idea{align-self:flex-start;max-width:100%;padding:8px 14px;border-color:var(--line);border-radius:18px;text-align:start;font-size:14px;line-height:1.4;color:var(--ink);overflow-wrap:anywhere}
.asked{width:fit-content;max-width:88%;margin:0 0 14px;margin-inline-start:auto;padding:9px 14px;border:1px solid transparent;border-radius:16px;border-end-end-radius:5px;background:var(--tint);white-space:pre-wrap;overflow-wrap:anywhere}
.about-text{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;margin:0 0 6px;padding-inline-start:9px;border-inline-start:3px solid var(--ink);font-size:13px;line-height:1.45;color:var(--dim);white-space:normal}
.asked .about-text{color:var(--text)}
.said{overflow-wrap:anywhere}
.said>:first-child,.said li>:first-child,blockquote>:first-child{margin-top:0}
.said>:last-child,.said li>:last-child,blockquote>:last-child{margin-bottom:0}
.said p,.said ul,.said ol,.said pre,.said blockquote,.wide{margin:0 0 12px}
.said ul,.said ol{padding-inline-start:22px}
.said li ul,.said li ol{margin:4px 0 0}
.said li+li{margin-top:4px}
.said li::marker{color:var(--dim)}
h3,h4,h5,h6{margin:18px 0 6px;font-size:15px;font-weight:650;line-height:1.4}
h3{font-size:17px}
hr{margin:16px 0;border:0;border-top:1px solid var(--line)}
blockquote{padding-inline-start:12px;border-inline-start:3px solid var(--line);color:var(--dim)}
code{padding:1px 5px;border-radius:5px;background:var(--soft);font:.88em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{overflow:auto;padding:12px 14px;border:1px solid var(--line);border-radius:10px;background:var(--soft);font-size:14px}
pre code{padding:0;background:none;white-space:pre;overflow-wrap:normal}
.wide{overflow-x:auto;border:1px solid var(--line);border-radius:10px}
table{width:100%;border-collapse:collapse;font-size:14px;line-height:1.45;overflow-wrap:normal}
th,td{padding:7px 12px;text-align:start;vertical-align:top;border-top:1px solid var(--line)}
th{border-top:0;background:var(--soft);font-weight:600}
a{color:var(--ink);text-decoration:underline;text-decoration-thickness:1px;text-underline-offset:3px;border-radius:3px}
.cite{display:inline-block;min-width:17px;height:17px;margin:0 1px;padding:0 4px;border:0;border-radius:6px;background:var(--tint);color:var(--ink);font-size:11px;font-weight:650;line-height:17px;text-align:center;text-decoration:none;vertical-align:4px;position:relative}
a.cite::after,button.cite::after{content:"";position:absolute;inset:-4px -3px}
.root:not(.dark) .cite{color:color-mix(in srgb,var(--ink) 90%,#000)}
.wait{display:flex;gap:10px;align-items:center;color:var(--dim)}
.dots{display:flex;gap:4px}
.dots i{width:6px;height:6px;border-radius:50%;background:var(--ink);opacity:.5}
.label{margin:16px 0 8px;font-size:12.5px;font-weight:600;color:var(--dim)}
.cards{display:grid;gap:8px;margin:0;padding:0;list-style:none}
.card{display:flex;gap:10px;padding:10px 12px;border:1px solid var(--line);border-radius:12px;color:inherit;text-decoration:none}
.card b{flex:none;width:20px;height:20px;margin-top:1px;border-radius:6px;background:var(--tint);color:var(--ink);font-size:11.5px;font-weight:650;line-height:20px;text-align:center}
.card div{min-width:0}
.card strong{display:block;font-size:14px;font-weight:600;line-height:1.45;overflow-wrap:anywhere}
a.card strong{color:var(--ink)}
.card span{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;font-size:13px;line-height:1.45;color:var(--dim);overflow-wrap:anywhere}
.card .sr{display:block}
.card.lit{border-color:var(--ink);background:var(--tint)}
.card.lit span{-webkit-line-clamp:none;color:var(--text)}
.rate{display:flex;flex-wrap:wrap;gap:2px;align-items:center;margin-top:10px;font-size:13px;color:var(--dim)}
.rate>span{margin-inline-end:6px}
.thumb{display:grid;place-items:center;width:32px;height:32px;color:var(--dim)}
.thumb svg{width:18px;height:18px}
.thumb[aria-pressed=true]{background:var(--tint);color:var(--ink)}
.thumb[aria-pressed=true] path{fill:currentColor;fill-opacity:.25}
.told{flex-basis:100%;margin:4px 0 0}
.more{display:grid;gap:8px;flex-basis:100%;margin-top:8px}
.more label{color:var(--text)}
.more textarea{padding:9px 12px;border:1px solid var(--edge);border-radius:10px;background:var(--bg)}
.small{justify-self:start;min-height:32px;padding:4px 14px;border-color:var(--edge);border-radius:16px;background:var(--bg);color:var(--text);font-size:14px;font-weight:500}
.small[aria-disabled=true]{border-color:var(--line);color:var(--dim)}
.bad{display:grid;grid-template-columns:auto 1fr;gap:4px 10px;padding:12px 14px;border:1px solid transparent;border-radius:12px;background:var(--bads)}
.bad svg{margin-top:2px;color:var(--bad)}
.bad p{margin:0}
.bad .small{grid-column:2;margin-top:6px}
.said:not(:empty)+.bad{margin-top:12px}
.calm{background:var(--soft)}
.calm svg{color:var(--dim)}
.net{margin:0;padding:9px 20px;background:var(--soft);border-bottom:1px solid var(--line);font-size:13.5px;color:var(--text)}
footer{padding:12px 14px 14px;padding-bottom:max(14px,env(safe-area-inset-bottom))}
.box{display:flex;flex-wrap:wrap;gap:8px;align-items:flex-end;padding:6px;border:1px solid var(--edge);border-radius:calc(var(--r) - 1px)}
.box:focus-within{border-color:var(--ink);box-shadow:0 0 0 1px var(--ink)}
textarea{display:block;flex:1;min-width:0;width:100%;margin:0;padding:6px 8px;border:0;outline:0;background:none;color:inherit;font:400 16px/1.45 inherit;font-family:inherit;resize:none;overflow-wrap:anywhere}
.box textarea{width:auto;height:36px;max-height:168px;scrollbar-width:thin}
.box textarea:focus-visible{outline:0}
textarea::placeholder{color:var(--dim);opacity:1}
.go{display:grid;place-items:center;flex:none;width:36px;height:36px;border-radius:calc(var(--r) - 7px);background:var(--a);color:var(--on)}
.go[aria-disabled=true]{background:var(--soft);color:var(--dim)}
.chip{display:flex;flex-basis:100%;gap:6px;align-items:flex-start;padding:8px 6px 8px 10px;border-radius:10px;background:var(--soft)}
.chip div{flex:1;min-width:0}
.chip small{display:block;font-size:12px;font-weight:600;color:var(--dim)}
.chip .about-text{margin:3px 0 0;color:var(--text)}
.chip .tool{width:28px;height:28px}
.chip .tool svg{width:16px;height:16px}
.count{margin:6px 8px 0;font-size:12.5px;color:var(--dim);text-align:end}
.count.over{color:var(--bad);font-weight:600}
@media (hover:hover){.tool:hover,.thumb:hover:not([aria-pressed=true]),.idea:hover,.small:hover:not([aria-disabled=true]),.about:hover{background:var(--soft);color:var(--text)}a.card:hover{background:var(--soft)}.launch:hover,.go:hover:not([aria-disabled=true]){filter:brightness(1.07)}}
@media (max-width:480px){.panel,.root[dir=rtl] .panel{inset:0 0 auto 0;width:100%;height:100vh;height:var(--seen,100dvh);border:0;border-radius:0}header{padding-top:max(8px,env(safe-area-inset-top))}.tool,.thumb,.go,.chip .tool{width:44px;height:44px}.small,.idea,.about{min-height:44px}.small{border-radius:22px}.idea{border-radius:22px}.box textarea{height:44px;padding-block:10px}.log{padding-inline:16px}.go{border-radius:calc(var(--r) - 5px)}}
@media (prefers-reduced-motion:no-preference){.launch{transition:transform .15s}.launch:active{transform:scale(.95)}.panel{animation:rise .18s cubic-bezier(.2,.8,.3,1)}.about{animation:show .12s}.dots i{animation:beat 1.2s infinite}.dots i:nth-child(2){animation-delay:.15s}.dots i:nth-child(3){animation-delay:.3s}.log{scroll-behavior:smooth}}
@keyframes rise{from{opacity:0;transform:translateY(12px)}}
@keyframes show{from{opacity:0}}
@keyframes beat{0%,60%,100%{opacity:.35}30%{opacity:1}}
@media (forced-colors:active){.launch,.go,.tool,.thumb,.about,.small,.idea,.asked,.bad,.chip{border:1px solid ButtonText}.thumb[aria-pressed=true]{border-width:3px}.dots i{background:CanvasText}.cite{border:1px solid LinkText}}
@media print{:host{display:none!important}}
`;

  /* ---- The button, and what holds everything ------------------------------------------------ */

  // A child of <html>, not of <body>: a body that is transformed, scrolls, is inert or is replaced
  // by a router would take the button with it.
  const host = document.createElement('footnote-widget');
  const shadow = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(CSS_TEXT);
  shadow.adoptedStyleSheets = [sheet];

  const dark = matchMedia('(prefers-color-scheme: dark)');
  const narrow = matchMedia('(max-width: 480px)');
  const isPhone = () => narrow.matches;

  const root = make('div', { class: 'root' });
  const launch = button('launch', say('open'), () => open({ selection: picked() }), 'chat');
  launch.setAttribute('aria-haspopup', 'dialog');
  // A click must not take away what is selected: it is what is asked about.
  launch.addEventListener('mousedown', (event) => event.preventDefault());
  root.append(make('section', { 'aria-label': say('title') }, launch));
  shadow.append(root);

  function dress() {
    root.classList.toggle('dark', said.theme === 'dark' || (said.theme !== 'light' && dark.matches));
    const dir = said.dir || document.documentElement.dir || document.body?.dir;
    root.setAttribute('dir', dir === 'rtl' ? 'rtl' : 'ltr');
    // Our own words are English; the page's are in its own language.
    root.setAttribute('lang', said.lang || (said.texts ? document.documentElement.lang : 'en'));
    if (state.look.accent) host.style.setProperty('--look', state.look.accent);
  }

  // Shortcuts of the page are not for what is typed here, nor is its idea of where focus belongs.
  for (const name of ['keydown', 'keypress', 'keyup', 'focusin', 'focusout', 'paste', 'copy', 'cut']) {
    root.addEventListener(name, (event) => event.stopPropagation());
  }

  /* ---- The panel ---------------------------------------------------------------------------- */

  let panel = null; // and the parts of it: made when it is first opened
  let before = null; // what had the focus
  let running = null; // the question that is being answered
  const views = new Map(); // of turns

  function build() {
    const title = make('h2', { id: 'title', dir: 'auto' });
    const restartButton = button('tool', say('restart'), restart, 'restart');
    const net = make('p', { class: 'net' }, say('offline'));
    const hello = make('div', { class: 'hello' });
    const turns = make('ol', { class: 'turns' });
    const log = make('div', { class: 'log', tabindex: 0, role: 'region', 'aria-label': say('conversation') }, hello, turns);
    const chip = make('div', { class: 'chip' });
    const input = make('textarea', {
      rows: 1, dir: 'auto', placeholder: say('placeholder'), 'aria-label': say('placeholder'),
      'aria-describedby': 'count', enterkeyhint: 'send', autocomplete: 'off', input: typed, keydown: entered,
    });
    const send = button('go', say('send'), submit, 'send');
    const stop = button('go', say('stop'), () => running?.abort(failure('STOPPED')), 'stop');
    const count = make('p', { class: 'count', id: 'count', hidden: true });
    const live = make('div', { class: 'sr', role: 'status', 'aria-live': 'polite' });
    const node = make('div', { class: 'panel', role: 'dialog', 'aria-modal': 'true', 'aria-labelledby': 'title', tabindex: -1, keydown: keyed },
      make('header', {}, title, restartButton, button('tool', say('close'), () => close(), 'close')),
      net, log, make('footer', {}, make('div', { class: 'box' }, chip, input, send, stop), count), live);
    panel = { node, title, net, hello, turns, log, chip, input, send, stop, count, live };
    root.append(node);
    input.value = state.draft;
    for (const turn of state.turns) show(turn);
    addEventListener('online', () => connected(true));
    addEventListener('offline', () => connected(false));
    // A phone's keyboard covers the page; what is seen above it is ours.
    visualViewport?.addEventListener('resize', seen);
    refresh();
    chipped();
    typed();
    scroll(true);
    lookUp();
  }

  function seen() {
    panel.node.style.setProperty('--seen', `${Math.round(visualViewport.height)}px`);
  }

  /** How the site wants it; it works as well without. */
  async function lookUp() {
    if (!site) return;
    try {
      const response = await fetch(new URL(`api/v1/sites/${encodeURIComponent(site)}/look`, api), { credentials: 'omit' });
      if (!response.ok) return;
      state.look = lookOf((await response.json()).look);
    } catch {
      return;
    }
    save();
    dress();
    refresh();
  }

  /** What depends on how things stand. */
  function refresh() {
    const { look } = state;
    const empty = !state.turns.length;
    panel.title.textContent = isOwn('title') ? say('title') : look.title || say('title');
    panel.net.hidden = navigator.onLine !== false;
    panel.hello.hidden = !empty;
    panel.stop.hidden = !running;
    panel.send.hidden = Boolean(running);
    const told = parsed(said.suggestions);
    const ideas = told ? lookOf({ suggestions: told }).suggestions : look.suggestions ?? [];
    panel.hello.replaceChildren(
      make('p', { dir: 'auto' }, isOwn('greeting') ? say('greeting') : look.greeting || say('greeting')),
      ...ideas.map((idea) => make('button', { type: 'button', class: 'idea', dir: 'auto', click: () => asked(idea) }, idea)),
    );
    for (const view of views.values()) view.refresh();
  }

  function connected(online) {
    refresh();
    announce(say(online ? 'online' : 'offline'));
  }

  /** Said by screen readers, once; what is said twice in a row is said again. */
  function announce(text) {
    panel.live.textContent = '';
    setTimeout(() => (panel.live.textContent = text), 50);
  }

  function scroll(always) {
    const { log } = panel;
    if (always || log.scrollHeight - log.scrollTop - log.clientHeight < 120) log.scrollTop = log.scrollHeight;
  }

  /** Where focus goes when what had it is gone; a phone would show its keyboard for the input. */
  function rest() {
    (isPhone() ? panel.log : panel.input).focus({ preventScroll: true });
  }

  function open({ selection = '', focus = true } = {}) {
    if (!panel) build();
    const wasOpen = state.open && !panel.node.hidden;
    if (!wasOpen || launch.hidden === false) {
      before = deepest(document);
      dress();
    }
    launch.hidden = true;
    panel.node.hidden = false;
    about?.remove();
    if (selection) attach(selection);
    if (focus) (isPhone() && !selection ? panel.node : panel.input).focus({ preventScroll: true });
    grow();
    scroll(true);
    if (wasOpen) return;
    state.open = true;
    save();
    tell('open');
  }

  function close() {
    if (!panel || panel.node.hidden) return;
    const had = shadow.activeElement;
    panel.node.hidden = true;
    launch.hidden = false;
    state.open = false;
    save();
    if (had) {
      const back = before?.isConnected && before !== document.body && before !== document.documentElement;
      (back && !shadow.contains(before) ? before : launch).focus({ preventScroll: true });
    }
    tell('close');
  }

  /** The focused element, in whatever shadow tree it is. */
  function deepest(tree) {
    const active = tree.activeElement;
    return active?.shadowRoot?.activeElement ? deepest(active.shadowRoot) : active;
  }

  function keyed(event) {
    if (event.key === 'Escape' && !event.isComposing) {
      event.preventDefault();
      close();
    } else if (event.key === 'Tab') {
      const all = [...panel.node.querySelectorAll('a[href],button,textarea,[tabindex="0"]')].filter((one) => one.getClientRects().length);
      const at = all.indexOf(shadow.activeElement);
      const edge = event.shiftKey ? at <= 0 : at === all.length - 1;
      if (!edge) return;
      event.preventDefault();
      all[event.shiftKey ? all.length - 1 : 0].focus();
    }
  }

  function restart() {
    running?.abort(failure(''));
    state.session = uuid();
    state.turns = [];
    for (const view of views.values()) view.remove();
    views.clear();
    attach('');
    save();
    refresh();
    rest();
  }

  /* ---- Asking ------------------------------------------------------------------------------- */

  function entered(event) {
    // While a word is being composed, Enter belongs to it.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    submit();
  }

  function grow() {
    const { input } = panel;
    input.style.height = '';
    if (input.scrollHeight > input.clientHeight) input.style.height = `${Math.min(input.scrollHeight, 168)}px`;
  }

  function typed() {
    const { input, count, send } = panel;
    const left = LONGEST_MESSAGE - length(input.value.trim());
    const wasOver = count.classList.contains('over');
    count.hidden = left > LONGEST_MESSAGE / 10;
    count.textContent = count.hidden ? '' : say(left < 0 ? 'over' : 'left', { n: Math.abs(left) });
    count.classList.toggle('over', left < 0);
    input.setAttribute('aria-invalid', String(left < 0));
    send.setAttribute('aria-disabled', String(left < 0 || isBlank(input.value)));
    if (left < 0 && !wasOver) announce(count.textContent);
    grow();
    state.draft = cut(input.value, 10000);
    save();
  }

  function submit() {
    if (asked(panel.input.value)) {
      panel.input.value = '';
      typed();
    }
  }

  /** Whether it could be sent: one at a time, and as the contract wants it. */
  function asked(text) {
    const question = whole(text.trim());
    if (running || isBlank(question)) return false;
    if (length(question) > LONGEST_MESSAGE) {
      announce(say('error_MESSAGE_TOO_LONG'));
      return false;
    }
    const turn = {
      question, selection: state.selection, session: state.session, answer: null, sources: [], id: '', helpful: null, code: '', until: 0,
    };
    state.turns = [...state.turns, turn].slice(-MOST_TURNS);
    attach('');
    show(turn);
    ask(turn);
    rest();
    return true;
  }

  async function ask(turn) {
    const control = new AbortController();
    const late = setTimeout(() => control.abort(failure('TIMEOUT')), PATIENCE);
    const view = views.get(turn);
    running = control;
    // Should the page be left meanwhile, this is what is true of it.
    turn.code = 'INTERRUPTED';
    turn.answer = null;
    turn.until = 0;
    save();
    view.begin();
    refresh();
    scroll(true);
    announce(say('searching'));
    tell('question', { question: turn.question, selection: turn.selection });
    try {
      if (navigator.onLine === false) throw failure('OFFLINE');
      const told = await answered(turn, control.signal, view.piece).catch((problem) => {
        if (problem?.code !== 'INVALID_SESSION_ID') throw problem;
        // Nobody but us has made it: another one will do.
        state.session = turn.session = uuid();
        return answered(turn, control.signal, view.piece);
      });
      Object.assign(turn, told, { code: '', session: turn.session });
      tell('answer', { question: turn.question, answer: told.answer, sources: told.sources, answer_id: told.id });
    } catch (problem) {
      const { code = 'INTERNAL_ERROR', wait = 0 } = control.signal.aborted ? control.signal.reason : problem ?? {};
      turn.code = texts.has(`error_${code}`) ? code : 'INTERNAL_ERROR';
      turn.until = wait ? Date.now() + wait * 1000 : 0;
      if (code) tell('error', { question: turn.question, code: turn.code, retry_after: wait });
    }
    clearTimeout(late);
    if (running === control) running = null;
    if (!views.has(turn)) return refresh(); // another conversation has begun
    save();
    view.end();
    refresh();
    announce(turn.answer === null ? `${say(`error_${turn.code}`)} ${waiting(turn) ? say('retry_in', { n: waiting(turn) }) : ''}`
      : `${say('answer')} ${view.text()}`);
    scroll(false);
  }

  const waiting = (turn) => Math.max(0, Math.ceil((turn.until - Date.now()) / 1000));

  /* ---- A question and its answer ------------------------------------------------------------ */

  function show(turn) {
    const said = make('div', { class: 'said', lang: document.documentElement.lang || null });
    const wait = make('div', { class: 'wait' }, make('span', { class: 'dots', 'aria-hidden': 'true' }, make('i'), make('i'), make('i')), say('searching'));
    const tail = make('div');
    const node = make('li', { class: 'turn' },
      make('div', { class: 'asked' }, hidden(say('question')),
        ...(turn.selection ? [make('p', { class: 'about-text', dir: 'auto' }, turn.selection.slice(0, 300))] : []),
        make('div', { dir: 'auto' }, turn.question)),
      said, wait, tail);
    const paint = painter(said);
    let text = '', due = 0, clock = 0;
    const view = { begin, piece, end, refresh: () => {}, remove, text: () => said.textContent };
    views.set(turn, view);
    panel.turns.append(node);
    end();

    function begin() {
      stop();
      text = '';
      paint('', unknown);
      tail.replaceChildren();
      wait.hidden = false;
    }

    // A number whose source is still to come, or never was, leads nowhere.
    function unknown(n) {
      return make('sup', { class: 'cite' }, String(n));
    }

    /** Pieces may come faster than they can be shown: the longer that takes, the rarer it is done. */
    function piece(more) {
      text += more;
      due ||= setTimeout(() => {
        const began = performance.now();
        due = 0;
        wait.hidden = true;
        paint(text, unknown);
        scroll(false);
        due = setTimeout(() => (due = 0, text && running && paint(text, unknown)), 4 * (performance.now() - began));
      }, 16);
    }

    function stop() {
      clearTimeout(due);
      clearInterval(clock);
      due = 0;
    }

    function end() {
      stop();
      wait.hidden = true;
      view.refresh = () => {};
      if (turn.answer !== null) {
        const cards = new Map(turn.sources.map((one) => [one.n, card(one)]));
        paint(turn.answer, (n) => cited(turn.sources.find((one) => one.n === n), cards.get(n)), true);
        tail.replaceChildren();
        if (cards.size) {
          tail.append(make('p', { class: 'label' }, say('sources')), make('ul', { class: 'cards' }, ...[...cards.values()].map((one) => make('li', {}, one))));
        }
        if (turn.id) tail.append(rating(turn));
      } else if (turn.code) {
        if (text) paint(text, unknown);
        tail.replaceChildren(problem());
      }
    }

    function problem() {
      const calm = ['STOPPED', 'INTERRUPTED', 'RATE_LIMIT_EXCEEDED', 'OFFLINE'].includes(turn.code);
      const again = make('button', { type: 'button', class: 'small', click: () => {
        if (again.getAttribute('aria-disabled') === 'true') return;
        turn.session = state.session;
        ask(turn);
        rest();
      } });
      let waited = waiting(turn) > 0;
      view.refresh = () => {
        const seconds = waiting(turn);
        again.textContent = seconds ? say('retry_in', { n: seconds }) : say('retry');
        again.setAttribute('aria-disabled', String(Boolean(seconds || running || navigator.onLine === false)));
        if (waited && !seconds) {
          waited = false;
          clearInterval(clock);
          announce(say('retry_now'));
        }
      };
      view.refresh();
      if (waited) clock = setInterval(() => view.refresh(), 250);
      return make('div', { class: calm ? 'bad calm' : 'bad' }, icon('alert'), make('p', {}, say(`error_${turn.code}`)), again);
    }

    function remove() {
      stop();
      node.remove();
    }
  }

  /** The number in the text: a link to the source, or else a button that shows its card. */
  function cited(one, card) {
    if (!one) return null;
    const url = placeOf(one);
    const label = { class: 'cite', 'aria-label': say('source', { n: one.n, title: one.title }), title: one.title || null };
    if (url) {
      const node = link(url, label, String(one.n));
      return make('sup', {}, node);
    }
    return make('sup', {}, make('button', { type: 'button', ...label, click: () => {
      card.classList.add('lit');
      card.focus({ preventScroll: true });
      card.scrollIntoView({ block: 'nearest' });
    } }, String(one.n)));
  }

  function card(one) {
    const url = placeOf(one);
    const parts = [make('b', { 'aria-hidden': 'true' }, String(one.n)),
      make('div', {}, hidden(say('source', { n: one.n, title: '' })), make('strong', { dir: 'auto' }, one.title || say('untitled')),
        make('span', { dir: 'auto' }, one.excerpt))];
    return url ? link(url, { class: 'card' }, ...parts) : make('div', { class: 'card', tabindex: -1 }, ...parts);
  }

  /* ---- Was it helpful? ---------------------------------------------------------------------- */

  function rating(turn) {
    const told = make('p', { class: 'told', role: 'status' });
    const form = make('div', { class: 'more', hidden: true });
    const thumb = (helpful, name) => {
      const node = button('thumb', say(name), () => rate(helpful), name);
      node.setAttribute('aria-pressed', String(turn.helpful === helpful));
      return node;
    };
    const thumbs = [[true, thumb(true, 'yes')], [false, thumb(false, 'no')]];
    const comment = make('textarea', { id: `comment-${turn.id}`, rows: 2, dir: 'auto', maxlength: LONGEST_COMMENT });
    const submit = button('small', say('comment_send'), () => rate(false, comment.value.trim()));
    form.append(make('label', { for: comment.id }, say('comment')), comment, submit);

    async function rate(helpful, words = '') {
      if (words) form.hidden = true;
      else form.hidden = helpful;
      if (words) thumbs[1][1].focus();
      for (const [value, node] of thumbs) node.setAttribute('aria-pressed', String(value === helpful));
      told.textContent = '';
      const control = new AbortController();
      const late = setTimeout(() => control.abort(failure('TIMEOUT')), PATIENCE);
      const body = () => ({ answer_id: turn.id, session_id: turn.session, helpful, ...(words && { comment: whole(words) }) });
      try {
        await post('api/v1/feedback', body, 'application/json', control.signal);
        turn.helpful = helpful;
        save();
        told.textContent = say('thanks');
        tell('feedback', { answer_id: turn.id, helpful, comment: words });
      } catch (problem) {
        for (const [value, node] of thumbs) node.setAttribute('aria-pressed', String(value === turn.helpful));
        if (words) form.hidden = false;
        const code = problem?.code;
        told.textContent = say(code === 'NOT_FOUND' ? 'feedback_gone' : code === 'OFFLINE' || code === 'RATE_LIMIT_EXCEEDED' ? `error_${code}` : 'feedback_failed');
        tell('error', { code: code ?? 'INTERNAL_ERROR', answer_id: turn.id });
      }
      clearTimeout(late);
      scroll(false);
    }

    return make('div', { class: 'rate' }, make('span', {}, say('helpful')), ...thumbs.map(([, node]) => node), form, told);
  }

  /* ---- Asking about what is selected -------------------------------------------------------- */

  let about = null; // the button at the selection
  let pressed = false, looking = 0;

  /** What is selected on the page, and not in something that is being written. */
  function picked() {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) return '';
    const active = deepest(document);
    const writes = (node) => node && (node.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(node.nodeName));
    const within = (node) => (node?.nodeType === 1 ? node : node?.parentElement);
    for (const node of [active, within(selection.anchorNode), within(selection.focusNode)]) {
      if (writes(node) || (node && node !== launch && (node === host || shadow.contains(node)))) return '';
    }
    return selection.toString().trim();
  }

  function attach(text) {
    state.selection = whole(cut(text, LONGEST_SELECTION));
    const isCut = state.selection.length < text.length;
    save();
    chipped(isCut);
  }

  function chipped(isCut = false) {
    const { chip } = panel;
    chip.hidden = !state.selection;
    chip.replaceChildren(
      make('div', {}, make('small', {}, say(isCut || length(state.selection) === LONGEST_SELECTION ? 'selection_cut' : 'selection')),
        make('p', { class: 'about-text', dir: 'auto' }, state.selection.slice(0, 300))),
      button('tool', say('remove'), () => {
        attach('');
        panel.input.focus();
      }, 'close'),
    );
  }

  function look() {
    looking = 0;
    const text = pressed ? '' : picked();
    if (!text) return about?.remove();
    if (!about) {
      about = make('button', { type: 'button', class: 'about', click: () => open({ selection: picked() }) }, icon('quote'), say('about'));
      about.addEventListener('mousedown', (event) => event.preventDefault());
    }
    const ranges = document.getSelection().getRangeAt(0).getClientRects();
    const end = ranges[ranges.length - 1];
    if (!end || end.bottom < 0 || end.top > innerHeight) return about.remove();
    root.prepend(about);
    // Under its end: above it phones have a menu of their own.
    const { width, height } = about.getBoundingClientRect();
    const x = root.dir === 'rtl' ? end.left : end.right - width;
    const y = end.bottom + 8 + height > innerHeight ? end.top - height - 8 : end.bottom + 8;
    about.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`;
    about.style.top = `${Math.max(8, y)}px`;
  }

  function soon() {
    clearTimeout(looking);
    looking = setTimeout(look, 150);
  }

  /* ---- Beginning ---------------------------------------------------------------------------- */

  function begin() {
    restore();
    dress();
    document.documentElement.append(host);
    dark.addEventListener('change', dress);
    document.addEventListener('selectionchange', soon);
    addEventListener('pointerdown', () => (pressed = true), true);
    for (const name of ['pointerup', 'pointercancel']) {
      addEventListener(name, () => {
        pressed = false;
        soon();
      }, true);
    }
    addEventListener('scroll', () => about?.isConnected && soon(), { capture: true, passive: true });
    // On a phone it would cover the source that was followed.
    if (state.open && !isPhone()) {
      state.open = false;
      open({ focus: false });
    }
    document.dispatchEvent(new CustomEvent('footnote:ready'));
  }

  Object.defineProperty(window, 'Footnote', {
    value: Object.freeze({
      /** Opens the panel. */
      open: () => open(),
      /** Closes it. */
      close: () => close(),
      /** Opens it and asks; whether that was possible. What was not sent is in the input. */
      ask(text, { selection = '' } = {}) {
        open({ selection: String(selection) });
        const sent = asked(String(text));
        if (!sent) {
          panel.input.value = String(text);
          typed();
        }
        return sent;
      },
      /** Whom to ask for the visitor's token before every question. */
      auth(getToken) {
        signIn = typeof getToken === 'function' ? getToken : null;
      },
      /** Calls back on open, close, question, answer, error and feedback. */
      on(name, listener) {
        listeners.set(name, new Set(listeners.get(name)).add(listener));
      },
      /** Calls back no more. */
      off(name, listener) {
        listeners.get(name)?.delete(listener);
      },
    }),
  });

  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin, { once: true });
  else begin();
})();
