/** Why it answered, answered in part or did not, in words. */

import { score } from './format.js';

/** The reason of a verdict. */
export function because({ outcome, score: value, thresholds, gaps, judgedBy, sentences }) {
  const by = judgedBy.length > 1 ? ' A language model was asked for its judgement, too.' : '';
  return REASONS[outcome](value, thresholds, gaps, sentences) + by;
}

const REASONS = {
  answer: (value, { good }) => `The documents score ${score(value)}. From ${score(good)} on it `
    + 'answers, as long as nothing that the question asks for is missing; nothing is.',
  partial: (value, { good }) => (value >= good
    ? `The documents score ${score(value)}, which would be enough (${score(good)}), but something `
      + 'that the question asks for is missing.'
    : `The documents score ${score(value)}. They come close, but a whole answer needs `
      + `${score(good)}.`),
  abstain: (value, { hopeless, doubtful }, gaps, sentences) => {
    if (!sentences.length) return 'Nothing was found that could hold an answer.';
    if (value < hopeless) {
      return `The documents score ${score(value)}. Below ${score(hopeless)} nothing is answered.`;
    }
    if (value < doubtful) {
      return `The documents score ${score(value)}. Below ${score(doubtful)} it does not answer `
        + 'where something that is asked for is in no document at all.';
    }
    return 'What is asked for is in no document at all.';
  },
};
