import { expect, it } from 'vitest';
import { readConversation } from './read-conversation.js';

const TODAY = '2026-11-28';

it.each([
  ['half an hour every evening', 'Five hours a week.', { perDay: 30, perWeek: 300 }],
  ['half an hour every evening', 'Only two hours a week.', { perWeek: 120 }],
  ['five hours a week', 'Half an hour every evening.', { perDay: 30 }],
])('a goal with %s and the answer "%s" has both where they fit together', (stated, answer, effort) => {
  const goal = `Learn Portuguese, ${stated}`;
  const messages = [
    { from: 'person', text: goal },
    { from: 'planner', text: 'How much time do you have?' },
    { from: 'person', text: answer },
  ] as const;
  expect(readConversation(goal, messages, TODAY).goal.effort).toEqual(effort);
});
