/** Numbers, times and sizes as people read them. */

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];
const whole = new Intl.NumberFormat('en');
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** 1234567 as 1,234,567. */
export function count(number) {
  return whole.format(number);
}

/** A number with its noun. */
export function counted(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Bytes as 1.2 MB. */
export function bytes(number) {
  let unit = 0;
  let left = number;
  while (left >= 1000 && unit < UNITS.length - 1) {
    left /= 1000;
    unit += 1;
  }
  return `${unit && left < 10 ? left.toFixed(1) : Math.round(left)} ${UNITS[unit]}`;
}

/** A score with two digits. */
export function score(number) {
  return number.toFixed(2);
}

/** Milliseconds, short. */
export function milliseconds(number) {
  return number >= 1000 ? `${(number / 1000).toFixed(1)} s` : `${Math.round(number)} ms`;
}

/** When something was, in the reader's own time. */
export function when(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : moment.format(date);
}

/** A day such as 18 Nov. */
export function date(text) {
  return day.format(new Date(`${text}T00:00:00Z`));
}

/** Where in a text a Unicode character is: the API counts those, JavaScript something smaller. */
export function placeOf(text, character) {
  let at = 0;
  for (let left = character; left > 0 && at < text.length; left -= 1) {
    at += text.codePointAt(at) > 0xffff ? 2 : 1;
  }
  return at;
}
