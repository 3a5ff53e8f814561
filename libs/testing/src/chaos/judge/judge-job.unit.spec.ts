import type { RecordedEvent } from '@phaseline/event-store';
import { describe, expect, it } from 'vitest';
import { judgeJob } from './judge-job.js';

type Said = readonly [streamId: string, type: string, data?: object];

const good: readonly Said[] = [
  ['job-1', 'JobSubmitted'],
  ['phase-1-1', 'PhaseStarted'],
  ['phase-1-1', 'ToolCallRequested', { callId: 'a', lane: 'runner', effect: 'once' }],
  ['phase-1-1', 'ToolCallStarted', { callId: 'a' }],
  ['phase-1-1', 'ToolCallCompleted', { callId: 'a' }],
  ['phase-1-1', 'ToolCallRequested', { callId: 'b', lane: 'runner', effect: 'pure' }],
  ['phase-1-1', 'ToolCallCompleted', { callId: 'b' }],
  ['phase-1-1', 'FileWritten', { path: 'output/x', hash: 'right' }],
  ['phase-1-1', 'PhaseCompleted'],
  ['job-1', 'JobCompleted'],
];

function judge(said: readonly Said[], done: readonly string[] = ['a', 'b', 'b']) {
  const events = said.map(([streamId, type, data = {}]) => ({ streamId, type, data }) as unknown as RecordedEvent);
  const effects = done.map((callId) => ({ tool: 't', jobId: '1', callId, at: 0, pid: 1 }));
  return judgeJob('1', events, effects, { 'output/x': 'right' });
}

const without = (type: string): readonly Said[] => good.filter(([, its]) => its !== type);
const instead = (type: string, at: number, said: Said): readonly Said[] =>
  good.map((one, index) => (one[1] === type && index === at ? said : one));

describe('the judge', () => {
  it('finds nothing in a job that went well, whose repeatable tool ran twice', () => {
    expect(judge(good)).toMatchObject({ losses: [], doubled: 0, onceCalls: 1, onceDone: 1 });
  });

  it('finds a `once` effect that happened twice', () => {
    expect(judge(good, ['a', 'a', 'b'])).toMatchObject({ doubled: 1 });
  });

  it.each([
    ['an end that is missing', without('JobCompleted'), undefined, 'did not complete'],
    ['a job that failed', instead('JobCompleted', 9, ['job-1', 'JobFailed', { code: 'x' }]), undefined, 'JobFailed'],
    ['a phase that is open', without('PhaseCompleted'), undefined, 'ended 0 times'],
    ['a phase that ended twice', [...good, good[8]!], undefined, 'ended 2 times'],
    ['a job that was submitted twice', [good[0]!, ...good], undefined, 'submitted 2 times'],
    ['a result without an effect', good, ['b'], 'nothing happened'],
    ['a call without an end', instead('ToolCallCompleted', 6, ['phase-1-1', 'Other']), undefined, '0 ends'],
    ['a call that was started twice', [...good, good[3]!], undefined, 'started 2 times'],
    ['an effect that the log does not know', good, ['a', 'b', 'c'], 'not in the log'],
    [
      'a file with other bytes',
      instead('FileWritten', 7, ['p', 'FileWritten', { path: 'output/x', hash: 'no' }]),
      undefined,
      'not what it should be',
    ],
    ['a file that is missing', without('FileWritten'), undefined, 'missing'],
    [
      'a file too many',
      [...good, ['p', 'FileWritten', { path: 'output/y', hash: 'h' }] as Said],
      undefined,
      'should not be there',
    ],
    [
      'an effect behind a failure that does not say so',
      instead('ToolCallCompleted', 4, ['p', 'ToolCallFailed', { callId: 'a', code: 'timeout' }]),
      undefined,
      'ended as timeout',
    ],
  ])('finds %s', (_, said, done, words) => {
    expect(judge(said, done).losses.join('; ')).toContain(words);
  });

  it.each([
    [['a', 'b'], { unknownDone: 1, unknownNotDone: 0 }],
    [['b'], { unknownDone: 0, unknownNotDone: 1 }],
  ])('counts a call of unknown outcome by what happened, and takes it for no loss', (done, counted) => {
    const said = instead('ToolCallCompleted', 4, ['p', 'ToolCallFailed', { callId: 'a', code: 'outcome_unknown' }]);
    expect(judge(said, done)).toMatchObject({ losses: [], doubled: 0, ...counted });
  });
});
