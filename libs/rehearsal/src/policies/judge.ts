import type { RehearsalPolicy } from '../rehearsal-policy.js';

/** What the request to a judge says about its answer. */
const ANSWER_FORMAT = 'Answer with one JSON object and nothing else: {"objection": true or false';

/**
 * Plays the judges of claims. It compares nothing, so it objects only to a claim without any change. What a claim must fulfil is decided by
 * checks and verifiers before a judge is asked.
 */
export const judgePolicy: RehearsalPolicy = {
  name: 'judge',
  matches: ({ messages }) => messages[0]?.role === 'system' && (messages[0].content ?? '').includes(ANSWER_FORMAT),
  answer: ({ messages }) => {
    const hasChanges = !(messages.at(-1)?.content ?? '').includes('<changes>\nNo file changed.');
    const reason = hasChanges ? 'The rehearsal model does not read changes.' : 'No file changed.';
    return { content: JSON.stringify({ objection: !hasChanges, reason }) };
  },
};
