import type { RehearsalPolicy } from '../rehearsal-policy.js';

/** Repeats the last user message. */
export const echoPolicy: RehearsalPolicy = {
  name: 'echo',
  matches: () => true,
  answer: ({ messages }) => ({ content: messages.findLast((message) => message.role === 'user')?.content ?? '' }),
};
