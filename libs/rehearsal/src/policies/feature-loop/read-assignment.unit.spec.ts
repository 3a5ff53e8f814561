import { expect, it } from 'vitest';
import { readAssignment } from './read-assignment.js';

const task = { role: 'user', content: 'The task.\n\n## Feature due-dates\nFailed attempts so far: 1.' };
const reflexion = { role: 'user', content: '## LAST_ATTEMPT_AND_REFLEXION\nAn attempt before this one failed.' };

it.each([
  ['the first message', [task]],
  ['the message after a reflection', [reflexion, task]],
])('the feature of a phase is read from %s', (_name, messages) => {
  expect(readAssignment({ messages })).toMatchObject({ feature: { id: 'due-dates' }, attempt: 2 });
});

it('a phase without a feature of the example is refused', () => {
  expect(() => readAssignment({ messages: [reflexion] })).toThrow('this phase is none of them');
});
