/** The addresses of the console's views, which survive a reload. */

/** Ask about one document alone. */
export function askAbout(id, title) {
  return `#/ask?${new URLSearchParams({ document: id, title })}`;
}

/** A document, and in it the words from one character to another. */
export function toDocument(id, words = null) {
  const query = words ? `?${new URLSearchParams({ from: words.start, to: words.end })}` : '';
  return `#/documents/${encodeURIComponent(id)}${query}`;
}

/** The documents of a data source. */
export function toSource(id) {
  return `#/documents?${new URLSearchParams({ source: id })}`;
}

/** The view that an address names, with what it is to show. */
export function parsed(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view, id = null] = path.split('/');
  return { view, id: id && decoded(id), params: new URLSearchParams(query) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
