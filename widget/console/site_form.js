/** Makes a site. */

import { announce } from './announce.js';
import { call } from './api.js';
import { formDialog } from './dialogs.js';
import { el, field, newId } from './dom.js';
import { DEFAULT, knownSources } from './known_sources.js';

const SHOWN = 'Anybody on the web who sees such a page, signed in or not, is answered from all that '
  + 'is in those you tick, and is shown its words.';
const ALL_OF_IT = 'everything that was added without choosing a data source';

/** A dialog for a new one; `then` is done once it is saved. */
export function siteForm(then) {
  const sources = knownSources().filter((one) => one.visibility === 'public');
  const name = el('input', { name: 'name', required: true, maxlength: '200', autofocus: true });
  const origins = el('textarea', {
    name: 'origins', required: true, rows: '2', placeholder: 'https://docs.example',
  });
  const hint = 'One in each line: scheme and host, without a path.';
  formDialog('New site', [field('Name', name), field('Addresses of its pages', origins, hint),
    choices(sources)], 'Save', save);

  async function save(data) {
    const body = {
      name: data.get('name'),
      origins: data.get('origins').split(/\s+/).filter(Boolean),
      data_sources: data.getAll('source'),
    };
    await call('api/v1/sites', { method: 'POST', body });
    announce(`${body.name} is saved.`);
    await then();
  }
}

function choices(sources) {
  const warning = el('p', { class: 'warning', id: newId('warning') }, SHOWN);
  return el('fieldset', { 'aria-describedby': warning.id },
    el('legend', {}, 'Public data sources that answer'),
    sources.length ? [warning, sources.map(choice)]
      : el('p', { class: 'hint' }, 'None is public. Open one to everyone first.'));
}

function choice(source) {
  const id = newId('source');
  const box = el('input', { type: 'checkbox', name: 'source', value: source.id, id });
  const everything = source.id === DEFAULT ? el('span', { class: 'muted' }, ALL_OF_IT) : null;
  return el('div', { class: 'field check' }, box,
    el('label', { for: id }, el('bdi', {}, source.name), ' ', everything));
}
