import type { RehearsalPolicy } from '../rehearsal-policy.js';

/** Says what the user said last. */
export const echo: RehearsalPolicy = {
  name: 'echo',
  matches: () => true,
  answer: ({ messages }) => ({ content: messages.findLast((message) => message.role === 'user')?.content ?? '' }),
};
