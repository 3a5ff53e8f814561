import type { RehearsalPolicy } from '../rehearsal-policy.js';

/** Start of a request to reflect on a failed attempt. */
const REQUEST_START = 'You reflect on an attempt';

/** Plays the model that reflects on a failed attempt. It understands nothing of the failure, so it only repeats what the attempt names. */
export const reflectionPolicy: RehearsalPolicy = {
  name: 'reflection',
  matches: ({ messages }) => messages[0]?.role === 'system' && (messages[0].content ?? '').startsWith(REQUEST_START),
  answer: ({ messages }) => {
    const attempt = messages.at(-1)?.content ?? '';
    const [, reason = 'for an unknown reason'] = /^It failed: (.*)$/m.exec(attempt) ?? [];
    // A line of a call begins with its name.
    const entry = [...attempt.matchAll(/^- (.*)$/gm)].at(-1)?.[1] ?? 'nothing';
    const name = entry.includes(' | ') ? entry.split(' ')[0] : entry;
    return { content: `The attempt ended with \`${name}\` and failed: ${reason}` };
  },
};
