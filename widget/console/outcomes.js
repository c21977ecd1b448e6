/** How a question ended, in words and as a kind of badge. */

export const OUTCOMES = {
  answer: ['Answered', 'good'],
  partial: ['Answered in part', 'middling'],
  abstain: ['Not answered', 'bad'],
};

/** The same of one that strict mode has refused. */
export const REFUSED = ['Refused by strict mode', 'bad'];
