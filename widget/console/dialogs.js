/** Dialogs: the browser keeps the focus inside, and gives it back. */

import { button, el, newId } from './dom.js';

/** A dialog that is shown at once, and gone once it is closed. */
export function dialog(title, ...content) {
  const heading = el('h2', { id: newId('dialog') }, title);
  const made = el('dialog', { 'aria-labelledby': heading.id }, heading, ...content);
  const opener = document.activeElement;
  made.addEventListener('close', () => {
    made.remove();
    // What was deleted cannot have the focus back.
    if (!opener.isConnected) document.querySelector('main h1')?.focus();
  });
  document.body.append(made);
  made.showModal();
  return made;
}

/** A place for what went wrong inside a dialog or a form. */
export function problem() {
  return el('p', { class: 'problem', role: 'alert' });
}

/** Ask before something is lost; `act` is done while the dialog still shows, and may fail. */
export function confirm(title, text, verb, act) {
  const wrong = problem();
  const yes = button(verb, run, { class: 'danger' });
  const no = button('Cancel', () => shown.close(), { autofocus: true });
  const shown = dialog(title, el('p', {}, text), wrong, el('div', { class: 'actions' }, no, yes));

  async function run() {
    yes.disabled = true;
    wrong.textContent = '';
    try {
      await act();
      shown.close();
    } catch (error) {
      wrong.textContent = error.message;
      yes.disabled = false;
    }
  }
}

/** A form in a dialog; `save` is given the form's data, and may fail. */
export function formDialog(title, fields, verb, save) {
  const wrong = problem();
  const yes = el('button', { class: 'primary' }, verb);
  const no = button('Cancel', () => shown.close());
  const actions = el('div', { class: 'actions' }, no, yes);
  const form = el('form', { on: { submit } }, ...fields, wrong, actions);
  const shown = dialog(title, form);
  return shown;

  async function submit(event) {
    event.preventDefault();
    yes.disabled = true;
    wrong.textContent = '';
    try {
      await save(new FormData(form));
      shown.close();
    } catch (error) {
      wrong.textContent = error.message;
    }
    yes.disabled = false;
  }
}
