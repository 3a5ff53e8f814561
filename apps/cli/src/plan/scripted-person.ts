import type { PlanPerson } from './converse.js';

/** What a person says about their time, in answer to any question about facts. */
const FACTS = 'Five hours a week, in the evenings.';

/** The person of the demo: takes the first option, answers questions briefly, and approves. */
export const scriptedPerson: PlanPerson = {
  async reply({ kind, text, options }) {
    if (kind === 'approval') return 'approve';
    if (options) return options[0];
    return /concise or conversational/i.test(text) ? `Conversational. ${FACTS}` : FACTS;
  },
};
