import { expect, it } from 'vitest';
import { assessHit } from './assess-hit.js';

it.each([
  ['deny', 'completed', 'completed', 'possibly-wrong'],
  ['ask', 'completed', 'completed', 'possibly-wrong'],
  ['amend', 'completed', 'completed', 'possibly-wrong'],
  ['deny', 'failed', 'completed', 'might-have-saved'],
  ['deny', 'completed', 'failed', 'might-have-saved'],
  ['deny', 'completed', 'blocked', 'might-have-saved'],
  ['deny', 'never-ended', 'aborted', 'might-have-saved'],
  ['deny', 'denied-by-guard', 'completed', 'stopped-anyway'],
  ['deny', 'denied', 'failed', 'stopped-anyway'],
  ['deny', 'refused', 'completed', 'stopped-anyway'],
  ['ask', 'expired', 'failed', 'stopped-anyway'],
  ['context', 'completed', 'completed', 'stops-nothing'],
  ['allow', 'refused', 'completed', 'stops-nothing'],
  ['deny', 'completed', 'running', 'open'],
  ['deny', 'completed', 'cancelled', 'open'],
  ['deny', 'cancelled', 'completed', 'open'],
  ['deny', 'never-ended', 'completed', 'open'],
  ['deny', 'completed', undefined, 'open'],
] as const)('%s about a call that is %s in a job that is %s: %s', (decision, outcome, status, assessment) => {
  const guard = {
    ...({ name: 'tested', version: '0'.repeat(64), scope: 'agent', kind: 'rule', stage: 'shadow' } as const),
  };
  expect(assessHit({ decided: { point: 'PreToolUse', guard, decision }, outcome }, status)).toBe(assessment);
});
