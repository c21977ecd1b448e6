/** One file of the list of uploads, as it is seen. */

import { button, el } from './dom.js';
import { bytes } from './format.js';
import { nameOf } from './known_sources.js';
import { askAbout, toDocument } from './places.js';

const WORDS = {
  waiting: 'Waiting for its turn',
  sending: 'Sending',
  reading: 'Sent. Being read and indexed…',
  ready: 'Ready',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** Keeps its elements, so that the focus stays where it is while the file moves on. */
export class UploadRow {
  constructor(upload, again) {
    this.upload = upload;
    this.progress = el('progress', { max: '1', 'aria-label': `Progress of ${upload.name}` });
    this.state = el('span', { class: 'state' });
    this.notes = el('div', { class: 'notes' });
    this.cancel = button('Cancel', () => upload.cancel(), {
      'aria-label': `Cancel ${upload.name}`,
    });
    this.again = button('Try again', () => again(upload), {
      'aria-label': `Try ${upload.name} again`,
    });
    this.links = el('div', { class: 'links' });
    const size = `${bytes(upload.file.size)} · ${nameOf(upload.source)}`;
    this.element = el(
      'li',
      { class: 'upload' },
      el('div', { class: 'what' }, el('bdi', { class: 'name' }, upload.name),
        el('span', { class: 'muted' }, size), this.state),
      el('div', { class: 'actions' }, this.links, this.again, this.cancel),
      this.progress,
      this.notes,
    );
    this.update();
  }

  update() {
    const { upload } = this;
    this.element.dataset.state = upload.state;
    this.state.textContent = this.words();
    this.progress.hidden = !upload.isOpen;
    // Without a value it is shown as going on, for nobody knows how long.
    if (upload.state === 'reading') this.progress.removeAttribute('value');
    else this.progress.value = upload.sent;
    this.cancel.hidden = !upload.isOpen;
    this.again.hidden = !['failed', 'cancelled'].includes(upload.state);
    this.notes.replaceChildren(...upload.warnings.map((one) => el('p', { class: 'warning' },
      one.message)));
    this.links.replaceChildren(...this.offered());
  }

  words() {
    const { state, sent, problem } = this.upload;
    if (state === 'sending') return sent ? `Sending, ${Math.round(100 * sent)} %` : 'Sending';
    return state === 'failed' ? problem : WORDS[state];
  }

  offered() {
    const { state, document, name } = this.upload;
    if (state !== 'ready' || !document) return [];
    return [
      el('a', { class: 'button primary', href: askAbout(document, name) }, 'Ask about it'),
      el('a', { class: 'button', href: toDocument(document) }, 'Read it'),
    ];
  }
}
