import type { JobId } from '@phaseline/contracts';
import type { RecordedEvent } from '@phaseline/event-store';
import { describe, expect, it } from 'vitest';
import { findDelegationLosses } from './judge-delegation.js';

const types = ['ChildJobRequested', 'ChildJobEnded', 'ToolCallCompleted'];
const child = (jobId: string, callId = 'a') => ({ jobId: jobId as JobId, callId });
const judge = (listed: readonly string[], children: ReturnType<typeof child>[]) =>
  findDelegationLosses(
    listed.map((type) => ({ type, data: { callId: 'a' } }) as unknown as RecordedEvent),
    children,
  ).join('; ');

describe('the delegations of a job', () => {
  it('are right when each has one child job that ended once', () => {
    expect(judge(types, [child('1')])).toBe('');
  });

  it.each([
    ['a delegation without a child job', types, [], 'a has 0 child jobs'],
    ['a delegation with two child jobs', types, [child('1'), child('2')], 'a has 2 child jobs'],
    ['a delegation that was requested twice', [types[0]!, ...types], [child('1')], 'a delegated 2 times'],
    ['an end that was recorded twice', [...types, types[1]!], [child('1')], '2 recorded ends'],
    ['a call that did not return', types.slice(0, 2), [child('1')], 'a did not complete once'],
    ['a child job that nothing requested', [], [child('1')], 'nothing requested 1'],
  ])('name %s', (_what, listed, children, loss) => {
    expect(judge(listed, children)).toContain(loss);
  });
});
