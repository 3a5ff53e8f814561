import type { PlanPerson } from './converse.js';

/** What the person says about their time, in answer to any question about facts. */
const FACTS = 'Five hours a week, in the evenings.';
/** What they want after all if the goal does not say it. */
const AIM = 'I want to give a talk without notes in ten weeks.';
/** How a message begins that says that the plan does not fit. */
const DOES_NOT_FIT = /^The plan does not fit/;

/**
 * The person of the demo: takes the first option, answers questions briefly, and approves. A plan that does not fit is left waiting, so that what
 * contradicts itself and what would help is the last that is seen. `wish`: what they want to be different when they are first asked for approval.
 */
export function createScriptedPerson(wish?: string): PlanPerson {
  let hasWished = wish === undefined;
  return {
    async reply({ kind, question, options }) {
      if (kind === 'approval') {
        if (hasWished) return 'approve';
        hasWished = true;
        return `propose changes: ${wish}`;
      }
      if (DOES_NOT_FIT.test(question)) return undefined;
      if (options) return options[0];
      const answers = [
        ...(/concise or conversational/i.test(question) ? ['Conversational.'] : []),
        ...(/what exactly/i.test(question) ? [AIM] : []),
      ];
      return [...answers, FACTS].join(' ');
    },
  };
}
