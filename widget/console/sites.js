/** The web pages whose visitors may ask, each with the line that puts the widget there. */

import { announce } from './announce.js';
import { call, widgetRoot } from './api.js';
import { confirm } from './dialogs.js';
import { button, el } from './dom.js';
import { when } from './format.js';
import { nameOf, readSources } from './known_sources.js';
import { siteForm } from './site_form.js';
import { empty, viewHeading } from './states.js';

/** The view. */
export async function show(place, _, signal) {
  const list = el('ul', { class: 'rows sites' });
  const make = button('New site', () => siteForm(relist), { class: 'primary' });
  place.append(
    viewHeading('Sites', make),
    el('p', { class: 'muted' },
      'A site says on which web pages visitors may ask, and which public data sources answer.'),
    list,
  );
  await readSources(signal);
  await relist();

  async function relist() {
    const { sites } = await call('api/v1/sites', { signal });
    list.replaceChildren(...sites.map((one) => row(one, relist)));
    place.querySelector('.empty')?.remove();
    if (!sites.length) list.before(none());
  }
}

function row(one, again) {
  const answers = one.data_sources.map(nameOf).join(', ') || 'nothing';
  return el('li', {},
    el('div', { class: 'what' },
      el('bdi', { class: 'name' }, one.name),
      el('span', {}, `On ${one.origins.join(', ')}`),
      el('span', { class: 'muted' }, `answered from ${answers}`,
        one.created_at ? ` · ${when(one.created_at)}` : '')),
    el('div', { class: 'actions' },
      button('Delete', () => remove(one, again), { 'aria-label': `Delete ${one.name}` })),
    snippet(one));
}

/** The line for the page's HTML, and a button that copies it. */
function snippet(one) {
  const line = `<script src="${new URL('widget.js', widgetRoot)}" data-site="${one.id}" defer>`
    + '</script>';
  const code = el('code', {}, line);
  const copy = button('Copy', async () => {
    try {
      await navigator.clipboard.writeText(line);
      announce('The line is copied.');
    } catch {
      getSelection().selectAllChildren(code); // a browser may leave copying to its user
      announce('The line is selected.');
    }
  }, { 'aria-label': `Copy the line for ${one.name}` });
  return el('div', { class: 'snippet' }, code, copy);
}

function remove(one, again) {
  const text = `Visitors of ${one.origins.join(', ')} will be answered no more.`;
  confirm('Delete this site?', text, 'Delete', async () => {
    await call(`api/v1/sites/${encodeURIComponent(one.id)}`, { method: 'DELETE' });
    announce(`${one.name} is deleted.`);
    await again();
  });
}

function none() {
  return empty('No sites yet',
    'Make one, put its line into your pages, and visitors can ask the data sources that it lists.');
}
