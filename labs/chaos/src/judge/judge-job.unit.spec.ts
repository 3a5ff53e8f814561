import type { RecordedEvent } from '@phaseline/event-store';
import { describe, expect, it } from 'vitest';
import { judgeJob } from './judge-job.js';

type EventSketch = readonly [streamId: string, type: string, data?: object];

const completedJob: readonly EventSketch[] = [
  ['job-1', 'JobSubmitted'],
  ['phase-1-1', 'PhaseStarted'],
  ['phase-1-1', 'ToolCallRequested', { callId: 'a', lane: 'remote', effect: 'once' }],
  ['phase-1-1', 'ToolCallStarted', { callId: 'a' }],
  ['phase-1-1', 'ToolCallCompleted', { callId: 'a' }],
  ['phase-1-1', 'ToolCallRequested', { callId: 'b', lane: 'remote', effect: 'pure' }],
  ['phase-1-1', 'ToolCallCompleted', { callId: 'b' }],
  ['phase-1-1', 'FileWritten', { path: 'output/x', hash: 'right' }],
  ['phase-1-1', 'PhaseCompleted'],
  ['job-1', 'JobCompleted'],
];

function judge(sketch: readonly EventSketch[], done: readonly string[] = ['a', 'b', 'b']) {
  const events = sketch.map(([streamId, type, data = {}]) => ({ streamId, type, data }) as unknown as RecordedEvent);
  const effects = done.map((callId) => ({ tool: 't', jobId: '1', callId, at: 0, pid: 1 }));
  return judgeJob('1', events, effects, { 'output/x': 'right' });
}

const without = (type: string): readonly EventSketch[] => completedJob.filter(([, its]) => its !== type);
const replaceAt = (type: string, at: number, sketch: EventSketch): readonly EventSketch[] =>
  completedJob.map((one, index) => (one[1] === type && index === at ? sketch : one));

describe('judgeJob', () => {
  it('accepts a completed job whose repeatable tool ran twice', () => {
    expect(judge(completedJob)).toMatchObject({ losses: [], doubled: 0, onceCalls: 1, onceDone: 1 });
  });

  it('does not count commands, whose effects are their files, as calls with effects', () => {
    const command = { callId: 'c', name: 'run_command', lane: 'remote', effect: 'once' };
    const sketch: readonly EventSketch[] = [
      ...completedJob.slice(0, 7),
      ['phase-1-1', 'ToolCallRequested', command],
      ['phase-1-1', 'ToolCallCompleted', { callId: 'c' }],
      ...completedJob.slice(7),
    ];
    expect(judge(sketch)).toMatchObject({ losses: [], onceCalls: 1, onceDone: 1 });
  });

  it('counts a `once` effect that happened twice', () => {
    expect(judge(completedJob, ['a', 'a', 'b'])).toMatchObject({ doubled: 1 });
  });

  it.each([
    ['a missing end', without('JobCompleted'), undefined, 'did not complete'],
    ['a job that failed', replaceAt('JobCompleted', 9, ['job-1', 'JobFailed', { code: 'x' }]), undefined, 'JobFailed'],
    ['an open phase', without('PhaseCompleted'), undefined, 'ended 0 times'],
    ['a phase that ended twice', [...completedJob, completedJob[8]!], undefined, 'ended 2 times'],
    ['a job that was submitted twice', [completedJob[0]!, ...completedJob], undefined, 'submitted 2 times'],
    ['a result without an effect', completedJob, ['b'], 'without an effect'],
    ['a call without an end', replaceAt('ToolCallCompleted', 6, ['phase-1-1', 'Other']), undefined, '0 ends'],
    ['a call that was started twice', [...completedJob, completedJob[3]!], undefined, 'started 2 times'],
    ['an effect that is not in the log', completedJob, ['a', 'b', 'c'], 'not in the log'],
    [
      'a file with different content',
      replaceAt('FileWritten', 7, ['p', 'FileWritten', { path: 'output/x', hash: 'no' }]),
      undefined,
      'different from the expected content',
    ],
    ['a missing file', without('FileWritten'), undefined, 'missing'],
    [
      'an unexpected file',
      [...completedJob, ['p', 'FileWritten', { path: 'output/y', hash: 'h' }] as EventSketch],
      undefined,
      'should not be there',
    ],
    [
      'an effect of a call that failed with a known outcome',
      replaceAt('ToolCallCompleted', 4, ['p', 'ToolCallFailed', { callId: 'a', code: 'timeout' }]),
      undefined,
      'ended as timeout',
    ],
  ])('reports %s', (_, sketch, done, fragment) => {
    expect(judge(sketch, done).losses.join('; ')).toContain(fragment);
  });

  it.each([
    [['a', 'b'], { unknownWithEffect: 1, unknownWithoutEffect: 0 }],
    [['b'], { unknownWithEffect: 0, unknownWithoutEffect: 1 }],
  ])('counts a call of unknown outcome by its effect, not as a loss', (done, counted) => {
    const sketch = replaceAt('ToolCallCompleted', 4, ['p', 'ToolCallFailed', { callId: 'a', code: 'outcome_unknown' }]);
    expect(judge(sketch, done)).toMatchObject({ losses: [], doubled: 0, ...counted });
  });
});
