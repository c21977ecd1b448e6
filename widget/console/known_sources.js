/** The data sources that the reader knows, shared by all views. */

import { call } from './api.js';
import { el } from './dom.js';

/** Where a file goes unless somebody says otherwise. */
export const DEFAULT = 'default';

let sources = [];

/** Read them anew. */
export async function readSources(signal) {
  ({ sources } = await call('api/rag/sources', { signal }));
  return sources;
}

/** Those that were read last. */
export function knownSources() {
  return sources;
}

/** The name of one, or its id where it is gone. */
export function nameOf(id) {
  return sources.find((one) => one.id === id)?.name ?? id ?? 'no data source';
}

/** How many documents there are in all of them. */
export function documentCount() {
  return sources.reduce((sum, one) => sum + one.documentCount, 0);
}

/** Fill a select with them, after a first choice that means all of them, if there is one. */
export function fillChoice(select, chosen, all = null) {
  const choices = sources.map((one) => el('option', { value: one.id }, one.name));
  if (all) choices.unshift(el('option', { value: '' }, all));
  select.replaceChildren(...choices);
  select.value = chosen;
  if (select.selectedIndex < 0) select.selectedIndex = 0;
}
