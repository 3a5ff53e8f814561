import type { Plan } from '@phaseline/client';
import { expect, it } from 'vitest';
import { listStages } from './list-stages.js';

const hash = 'ab'.repeat(32);
const question = { kind: 'question', question: '?', questionHash: hash, expiresAt: '' } as unknown as Plan['waitsFor'];
const list = (plan: Partial<Plan>) =>
  listStages({ stage: 'roadmap', planningStatus: 'in_progress', waitsFor: null, hashes: {}, ...plan }).map(
    ({ state }) => state,
  );

it.each<[string, Partial<Plan>, string]>([
  ['works', { hashes: { context: hash, outline: hash } }, 'done done current open open'],
  ['waits', { hashes: { context: hash, outline: hash }, waitsFor: question }, 'done done waiting open open'],
  ['ended', { hashes: { context: hash, outline: hash }, planningStatus: 'aborted' }, 'done done stopped open open'],
  ['is approved', { planningStatus: 'complete', stage: 'approval' }, 'done done done done done'],
  // An outline that waits for its approval before there is a roadmap.
  [
    'has to be approved in parts',
    { stage: 'approval', hashes: { context: hash, outline: hash }, waitsFor: question },
    'done done open open waiting',
  ],
  ['has a stage that is unknown here', { stage: 'later' }, 'open open open open open'],
])('shows a plan that %s', (_, plan, states) => {
  expect(list(plan).join(' ')).toBe(states);
});
