import type { JobEvent } from '@phaseline/domain';
import { expect, it } from 'vitest';
import { JobLessons } from './job-lessons.js';

const issued = {
  type: 'HandoffIssued',
  data: {
    handoff: 'h1',
    phase: 3,
    from: 'coding-agent',
    agent: 'tester-agent',
    task: 'Test the login',
    context: { filesChanged: [], filesChangedTotal: 0, previousState: 'code' },
    artifacts: [],
    preconditions: [],
    successCriteria: { testsPass: true },
  },
} as JobEvent;
const started: JobEvent = { type: 'ItemStarted', data: { id: 'login', phase: 2 } };

it.each([
  [
    'a refused handoff',
    { type: 'HandoffRefused', data: { handoff: 'h1', reason: 'lint fails' } },
    {
      type: 'violation',
      source: 'auto_detected',
      action: 'hand_over',
      reason: 'handoff_refused',
      event: { happened: 'The handoff to tester-agent was refused', why: 'lint fails' },
    },
    { agent: 'tester-agent', feature: 'login', task: 'Test the login' },
  ],
  [
    'a handoff that timed out',
    { type: 'HandoffTimedOut', data: { handoff: 'h1', phase: 4 } },
    { type: 'violation', action: 'hand_over', reason: 'handoff_timed_out' },
    { agent: 'tester-agent', feature: 'login', task: 'Test the login' },
  ],
  [
    'work that was rolled back',
    { type: 'HandoffRolledBack', data: { to: 2, restored: 3, deleted: 1 } },
    {
      type: 'violation',
      action: 'work_on_item',
      reason: 'rolled_back',
      event: { happened: expect.stringContaining('The work on the item was undone') },
    },
    { agent: 'feature-lead', feature: 'login' },
  ],
  [
    'a message of a person',
    { type: 'JobSteered', data: { actor: 'ada', message: 'Use the old API.' } },
    {
      type: 'decision',
      source: 'user_correction',
      action: 'steer',
      reason: 'person_steered',
      event: { correct: 'Use the old API.' },
    },
    { agent: 'feature-lead', feature: 'login' },
  ],
  [
    'a file that a person deleted',
    { type: 'WorkspaceEdited', data: { actor: 'ada', path: 'a.ts', reason: 'wrong' } },
    {
      type: 'decision',
      action: 'edit_file',
      reason: 'person_edited',
      event: { happened: 'A person deleted the file a.ts', why: 'wrong' },
    },
    { agent: 'feature-lead', feature: 'login' },
  ],
  [
    'an override of a guard',
    {
      type: 'JobGuardOverridden',
      data: {
        guard: 'block-direct-edit',
        scope: 'agent',
        actor: 'ada',
        reason: 'generated',
        expiresAt: '2030-01-01T00:00:00Z',
      },
    },
    { type: 'approval', action: 'override_guard', reason: 'person_overrode', event: { why: 'generated' } },
    { agent: 'feature-lead', feature: 'login' },
  ],
] as const)('%s teaches', (_, event, lesson, context) => {
  const lessons = new JobLessons('feature-lead');
  expect([started, issued].map((before) => lessons.apply(before))).toEqual([undefined, undefined]);
  const learnt = lessons.apply(event as JobEvent);
  expect(learnt).toMatchObject(lesson);
  expect(learnt?.context).toEqual(context);
});
