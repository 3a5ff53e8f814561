import type { RecordedEvent } from '@phaseline/event-store';
import { describe, expect, it } from 'vitest';
import { findClaimLosses } from './judge-claims.js';

type EventSketch = readonly [type: string, data?: object];

const run = (kind: string, callId: string) => ({ kind, name: kind, callId });
const verified: readonly EventSketch[] = [
  ['ClaimRaised', { claim: 'c', runs: [run('verifier', 'c_1')] }],
  ['ToolCallRequested', { callId: 'c_1' }],
  ['ToolCallCompleted', { callId: 'c_1' }],
];
const accepted: readonly EventSketch[] = [
  ...verified,
  ['ClaimRaised', { claim: 'c', runs: [run('verifier', 'c_1'), run('judge', 'c_2')] }],
  ['ToolCallRequested', { callId: 'c_2' }],
  ['JudgeEnded', { callId: 'c_2' }],
  ['ToolCallCompleted', { callId: 'c_2' }],
  ['ClaimAccepted', { claim: 'c' }],
];

const judge = (sketch: readonly EventSketch[]) =>
  findClaimLosses(
    sketch.map(
      ([type, data = {}], index) =>
        ({ type, data, streamId: 'phase-1', version: index + 1, position: index + 1 }) as unknown as RecordedEvent,
    ),
  );

describe('the claims of a job', () => {
  it('are right when each is decided once, after its runs', () => {
    expect(judge(accepted)).toEqual([]);
  });

  it('may stay undecided when their runs no longer count', () => {
    expect(judge([...verified, ['FileWritten', { path: 'a' }], ...accepted.slice(0, 0)])).toEqual([]);
  });

  it.each<[string, readonly EventSketch[], string]>([
    ['a claim that is lost', verified, 'was not decided'],
    ['a claim that is decided twice', [...accepted, ['ClaimRefused', { claim: 'c' }]], 'decided 2 times'],
    ['a run that is requested twice', [verified[1]!, ...accepted], 'c_1 was requested 2 times'],
    ['a run that ends twice', [...verified, ['ToolCallFailed', { callId: 'c_1' }], ...accepted.slice(3)], '2 ends'],
    ['a run without an end', [...verified.slice(0, 2), ...accepted.slice(3)], 'c_1 has 0 ends'],
    [
      'a decision before its run has ended',
      [verified[0]!, verified[1]!, ['ClaimAccepted', { claim: 'c' }], verified[2]!],
      'before c_1',
    ],
    ['a judge that is asked twice', [accepted[5]!, ...accepted], 'judged 2 times'],
  ])('names %s', (_what, sketch, loss) => {
    expect(judge(sketch).join('; ')).toContain(loss);
  });
});
