import type { JsonObject } from '@phaseline/basics';
import type { CallId, JobId, Unrecorded } from '@phaseline/contracts';
import { getAdmittedCall, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import { RecordedPhase, Recordings, type RecordedCall } from '@phaseline/repository';
import { describe, expect, it, vi } from 'vitest';
import { foldStartedPhase, noBlobs } from '../phase-started.fixture.js';
import { PendingCommit } from '../step/pending-commit.js';
import { createRecordedSource } from './recorded-source.js';

const jobId = '01890000-0000-7000-8000-000000000002' as JobId;
const written = { path: 'got/a.txt', hash: 'a'.repeat(64), size: 1, writtenAt: '2026-02-03T04:05:06.000Z' };

interface Requested {
  readonly name?: string;
  readonly lane?: 'inline' | 'remote';
  readonly effect?: 'pure' | 'once';
  readonly traits?: string[];
}

function request(unrecorded: Unrecorded, { name = 'fetch', lane = 'remote', effect = 'pure', traits = [] }: Requested) {
  const recording = { mode: 'recorded' as const, jobId, unrecorded };
  const call = { callId: 'c', step: 1, name, arguments: { what: 'red car' }, lane, effect, traits, timeoutMs: 1_000 };
  return foldStartedPhase({ recording }, { type: 'ToolCallRequested', data: call } as PhaseEvent);
}

/** Recordings of one phase. */
function record(...calls: readonly RecordedCall[]): Recordings {
  const recorded = new RecordedPhase();
  recorded.state = foldStartedPhase({});
  for (const call of calls) recorded.calls.set(call.callId, call);
  const recordings = new Recordings({} as never);
  recordings.loadPhase = async (_jobId, phase) =>
    phase === 3 ? recorded : phase < 3 ? emptyPhase() : new RecordedPhase();
  return recordings;
}

function emptyPhase(): RecordedPhase {
  const phase = new RecordedPhase();
  phase.state = foldStartedPhase({});
  return phase;
}

function recordCall(callId: string, args: JsonObject, changes: Partial<RecordedCall> = {}): RecordedCall {
  return {
    callId: callId as CallId,
    name: 'fetch',
    arguments: args,
    lane: 'remote',
    facts: [],
    end: {
      type: 'ToolCallCompleted',
      data: { callId: callId as CallId, content: `found by ${callId}`, attempts: 1, durationMs: 7 },
    },
    ...changes,
  };
}

/** Ends the call `c` with the result of the source, or with `ran` if its tool ran. */
async function end(state: PhaseState, recordings = record()): Promise<readonly PhaseEvent[] | 'ran'> {
  const source = createRecordedSource(new RecordedPhase(), recordings);
  const call = getAdmittedCall(state.calls, 'c');
  const commit = new PendingCommit(state, noBlobs, new Date(0));
  const run = vi.fn(async () => 'phase-changed' as const);
  if (call.lane === 'inline') await source.runInlineCall(commit, call, async () => void (await run()));
  else {
    const ended = await source.runRemoteCall(state, call, run);
    if (typeof ended === 'object') await ended.recordEnd(commit);
  }
  return run.mock.calls.length > 0 ? 'ran' : commit.events;
}

const notRecorded = [{ type: 'ToolCallFailed', data: { callId: 'c', code: 'not_recorded' } }];
const near = recordCall(
  'near',
  { what: 'blue car' },
  { facts: [{ type: 'FileWritten', data: { ...written, callId: 'near' as CallId } }] },
);

describe.each(['inline', 'remote'] as const)('an unrecorded call of an %s tool', (lane) => {
  it.each<Unrecorded>([{}, { fetch: 'error' }, { fetch: 'fail' }, { '*': 'run', fetch: 'error' }, { other: 'run' }])(
    'fails with %j and is not run',
    async (unrecorded) => {
      expect(await end(request(unrecorded, { lane }), record(near))).toMatchObject(notRecorded);
    },
  );

  it.each<Unrecorded>([{ fetch: 'run' }, { '*': 'run' }])('runs with %j if its tool is pure', async (unrecorded) => {
    expect(await end(request(unrecorded, { lane }))).toBe('ran');
    expect(await end(request(unrecorded, { lane, effect: 'once' }))).toMatchObject(notRecorded);
  });

  it('never runs a tool that starts another job, or a run of the system', async () => {
    expect(await end(request({ '*': 'run' }, { lane, name: 'delegate' }))).toMatchObject(notRecorded);
    expect(await end(request({ '*': 'run' }, { lane, traits: ['system'] }))).toMatchObject(notRecorded);
  });

  it('repeats the nearest recorded result with its files, and says whose it is', async () => {
    const failed = {
      type: 'ToolCallFailed',
      data: { callId: 'x' as CallId, code: 'x', message: '', attempts: 1, durationMs: 1 },
    } as const;
    const recordings = record(
      recordCall('far', { what: 'green house' }),
      near,
      recordCall('as-near', { what: 'red bus' }),
      recordCall('failed', { what: 'red car' }, { end: failed }),
      recordCall('other', { what: 'red car' }, { name: 'other' }),
      recordCall('open', { what: 'red car' }, { end: undefined! }),
    );
    const events = await end(request({ fetch: 'nearest' }, { lane }), recordings);
    const nearest = { jobId, phase: 3, callId: 'near' };
    expect(events).toEqual([
      { type: 'FileWritten', data: { ...written, callId: 'c' } },
      {
        type: 'ToolCallCompleted',
        data: {
          callId: 'c',
          content: expect.stringMatching(
            /^\[This call was not executed.*"blue car".* near in phase 3 .*\]\n\nfound by near$/s,
          ),
          attempts: 1,
          durationMs: 7,
          nearest,
        },
      },
    ]);
  });

  it('fails if there is no other call of the tool, or only a result that was taken from another one', async () => {
    const state = request({ fetch: 'nearest' }, { lane });
    const taken = recordCall('taken', { what: 'red car' });
    const data = { ...taken.end!.data, nearest: { jobId, phase: 1, callId: 'x' } };
    const recordings = record(recordCall('other', {}, { name: 'other' }), {
      ...taken,
      end: { type: 'ToolCallCompleted', data } as never,
    });
    expect(await end(state, recordings)).toMatchObject(notRecorded);
  });

  it('gives no run of the system the result of another one', async () => {
    expect(await end(request({ '*': 'nearest' }, { lane, traits: ['system'] }), record(near))).toMatchObject(
      notRecorded,
    );
  });

  it('fails if the files of the nearest call cannot be written', async () => {
    const fact = { type: 'FileWritten', data: { ...written, path: '../a', callId: 'near' as CallId } } as const;
    const recordings = record(recordCall('near', { what: 'blue car' }, { facts: [fact] }));
    expect(await end(request({ fetch: 'nearest' }, { lane }), recordings)).toMatchObject(notRecorded);
  });
});
