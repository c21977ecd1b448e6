/** Makes a data source, or changes its name and who may query it. */

import { announce } from './announce.js';
import { call } from './api.js';
import { formDialog } from './dialogs.js';
import { el, field } from './dom.js';

const AUDIENCES = {
  public: 'Public: everyone of the org',
  role: 'Role: whoever has a role',
  team: 'Team: whoever is in a team',
  private: 'Private: you and some users',
  personal: 'Personal: you alone',
};
const SITES = 'What is public may also be listed by a site, for its visitors.';
// Which list of names an audience is made of.
const NAMES = { role: 'roles', team: 'teams', private: 'users' };

/** Who may query a data source, in words. */
export function accessOf({ visibility, roles, teams, users }) {
  switch (visibility) {
    case 'public': return 'Everyone of the org may query it.';
    case 'role': return `Whoever has the role ${roles.join(' or ')} may query it.`;
    case 'team': return `Whoever is in the team ${teams.join(' or ')} may query it.`;
    case 'private':
      return users.length ? `Its owner and ${users.join(', ')} may query it.`
        : 'Its owner alone may query it.';
    default: return 'Its owner alone may query it.';
  }
}

/** A dialog for a new one, or for one that there is; `then` is done once it is saved. */
export function sourceForm(source, then) {
  const name = el('input', { name: 'name', required: true, maxlength: '200', autofocus: true });
  name.value = source?.name ?? '';
  const visibility = el('select', { name: 'visibility', on: { change: ask } },
    Object.entries(AUDIENCES).map(([value, text]) => el('option', { value }, text)));
  visibility.value = source?.visibility ?? 'public';
  const lists = Object.entries(NAMES).map(([audience, list]) => {
    const input = el('input', { name: list });
    input.value = source?.[list].join(', ') ?? '';
    const made = field(`Its ${list}`, input, 'Separate them by commas.');
    return [audience, input, made];
  });
  const fields = [field('Name', name), field('Who may query it', visibility, SITES),
    ...lists.map(([, , made]) => made)];
  formDialog(source ? 'Change the data source' : 'New data source', fields, 'Save', save);
  ask();

  function ask() {
    for (const [audience, input, made] of lists) {
      made.hidden = visibility.value !== audience;
      input.required = !made.hidden && audience !== 'private';
    }
  }

  async function save(data) {
    const body = { name: data.get('name'), visibility: data.get('visibility') };
    for (const list of Object.values(NAMES)) body[list] = separated(data.get(list));
    const path = source ? `api/rag/sources/${encodeURIComponent(source.id)}` : 'api/rag/sources';
    await call(path, { method: source ? 'PATCH' : 'POST', body });
    announce(`${body.name} is saved.`);
    await then();
  }
}

function separated(text) {
  return [...new Set(text.split(',').map((one) => one.trim()).filter(Boolean))];
}
