import { describe, expect, it, vi } from 'vitest';
import { RecordedPhase, type Recordings } from '@phaseline/repository';
import { buildRequested, foldStartedPhase, noBlobs } from '../phase-started.fixture.js';
import { PendingCommit } from '../step/pending-commit.js';
import { liveSource } from './live-source.js';
import { openSource } from './open-source.js';
import { createRecordedSource } from './recorded-source.js';

const jobId = '01890000-0000-7000-8000-000000000002';
const recording = (mode: 'live-model' | 'recorded') => ({ recording: { mode, jobId } });
const recordings = {
  loadPhase: async () => new RecordedPhase(),
  findCorrespondingCall: async () => undefined,
} as unknown as Recordings;

describe('the source of a phase', () => {
  it('is live in a job that is not a fork', async () => {
    expect(await openSource(recordings, foldStartedPhase({}))).toBe(liveSource);
  });

  it('calls the model and replays remote calls in the mode live-model', async () => {
    const state = foldStartedPhase(recording('live-model'), buildRequested('work'));
    const source = await openSource(recordings, state);
    const answer = { content: 'hello' } as never;
    expect(await source.respond(state, async () => answer)).toBe(answer);
    const run = vi.fn();
    const replayed = await source.runRemoteCall(state, state.calls['c']!, run);
    expect(run).not.toHaveBeenCalled();
    const commit = new PendingCommit(state, noBlobs);
    if (typeof replayed === 'object') await replayed.recordEnd(commit);
    expect(commit.events).toMatchObject([{ type: 'ToolCallFailed', data: { callId: 'c', code: 'not_recorded' } }]);
  });

  it('calls neither model nor tools in the mode recorded', async () => {
    const state = foldStartedPhase(recording('recorded'), buildRequested('work'));
    const source = await openSource(recordings, state);
    const live = vi.fn();
    expect(await source.findModel(state, live)).toMatchObject({ profile: { name: 'default' } });
    expect(await source.respond(state, live)).toMatchObject({ type: 'PhaseFailed', data: { code: 'not_recorded' } });
    const commit = new PendingCommit(state, noBlobs);
    await source.runInlineCall(commit, state.calls['c']!, live);
    expect(commit.events).toMatchObject([{ type: 'ToolCallFailed', data: { code: 'not_recorded' } }]);
    expect(live).not.toHaveBeenCalled();
  });
});

describe('a recorded source', () => {
  it('repeats the answer of the step', async () => {
    const recorded = new RecordedPhase();
    const answer = { step: 1, content: 'hello' } as never;
    recorded.answers.set(1, answer);
    const state = foldStartedPhase(recording('recorded'));
    expect(await createRecordedSource(recorded).respond(state, vi.fn())).toEqual({
      type: 'ModelResponded',
      data: answer,
    });
  });

  it('runs a script, whose nested calls are replayed', async () => {
    const state = foldStartedPhase(recording('recorded'), buildRequested('run_script'));
    const run = vi.fn(async () => undefined);
    await createRecordedSource(new RecordedPhase()).runInlineCall(
      new PendingCommit(state, noBlobs),
      state.calls['c']!,
      run,
    );
    expect(run).toHaveBeenCalledOnce();
  });

  it('writes its own archive when the todos took another course', () => {
    const state = foldStartedPhase(recording('recorded'));
    const write = vi.fn();
    createRecordedSource(new RecordedPhase()).archiveTodos(new PendingCommit(state, noBlobs), write);
    expect(write).toHaveBeenCalledOnce();
  });
});
