import { getAdmittedCall } from '@phaseline/domain';
import { describe, expect, it, vi } from 'vitest';
import type { PhaseEvent, PhaseEventData } from '@phaseline/domain';
import { buildModelCallStarted } from '@phaseline/domain/testing';
import { contentHash } from '@phaseline/event-store';
import { RecordedPhase, type Recordings } from '@phaseline/repository';
import { buildRequested, foldStartedPhase, noBlobs } from '../phase-started.fixture.js';
import type { ConfiguredModel, ResponseParts } from '../ports.js';
import { PendingCommit } from '../step/pending-commit.js';
import { liveSource } from './live-source.js';
import { openSource } from './open-source.js';
import { createRecordedSource } from './recorded-source.js';
import { replayRemoteCall } from './replay-remote-call.js';

const jobId = '01890000-0000-7000-8000-000000000002';
const recording = (mode: 'live-model' | 'recorded') => ({ recording: { mode, jobId } });
const recordings = {
  loadPhase: async () => new RecordedPhase(),
  findCorrespondingCall: async () => undefined,
  findNearestCall: async () => undefined,
} as unknown as Recordings;

/** Only a fork with other settings of its context computes responses. */
const parts = {} as ResponseParts;

describe('the source of a phase', () => {
  it('is live in a job that is not a fork', async () => {
    expect(await openSource(recordings, foldStartedPhase({}))).toBe(liveSource);
  });

  it('calls the model and replays remote calls in the mode live-model', async () => {
    const state = foldStartedPhase(recording('live-model'), buildRequested('work'));
    const source = await openSource(recordings, state);
    const answer = { content: 'hello' } as never;
    expect(await source.respond(state, async () => answer, parts)).toBe(answer);
    const run = vi.fn();
    const replayed = await source.runRemoteCall(state, getAdmittedCall(state.calls, 'c'), run);
    expect(run).not.toHaveBeenCalled();
    const commit = new PendingCommit(state, noBlobs, new Date(0));
    if (typeof replayed === 'object') await replayed.recordEnd(commit);
    expect(commit.events).toMatchObject([{ type: 'ToolCallFailed', data: { callId: 'c', code: 'not_recorded' } }]);
  });

  it('calls neither model nor tools in the mode recorded', async () => {
    const state = foldStartedPhase(recording('recorded'), buildRequested('work'));
    const source = await openSource(recordings, state);
    const live = vi.fn();
    expect(await source.findModel(state, live)).toMatchObject({ profile: { name: 'default' } });
    expect(await source.respond(state, live, parts)).toMatchObject({
      type: 'PhaseFailed',
      data: { code: 'not_recorded' },
    });
    const commit = new PendingCommit(state, noBlobs, new Date(0));
    await source.runInlineCall(commit, getAdmittedCall(state.calls, 'c'), live);
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
    expect(await createRecordedSource(recorded, recordings).respond(state, vi.fn(), parts)).toEqual({
      type: 'ModelResponded',
      data: answer,
    });
  });

  it('runs a script, whose nested calls are replayed', async () => {
    const state = foldStartedPhase(recording('recorded'), buildRequested('run_script'));
    const run = vi.fn(async () => undefined);
    await createRecordedSource(new RecordedPhase(), recordings).runInlineCall(
      new PendingCommit(state, noBlobs, new Date(0)),
      getAdmittedCall(state.calls, 'c'),
      run,
    );
    expect(run).toHaveBeenCalledOnce();
  });

  it('writes its own archive when the todos took another course', () => {
    const state = foldStartedPhase(recording('recorded'));
    const write = vi.fn();
    createRecordedSource(new RecordedPhase(), recordings).archiveTodos(
      new PendingCommit(state, noBlobs, new Date(0)),
      write,
    );
    expect(write).toHaveBeenCalledOnce();
  });
});

describe('a recorded fork with other settings of its context', () => {
  const context = { keepResults: 1, clearTokens: 500, summariseTokens: 9_000, todoList: 'last' } as const;
  const forked = foldStartedPhase({ ...recording('recorded'), terms: { context } });
  const request = { maxOutputTokens: 700, reasoning: 'never', summariseTokens: 80_000 } as const;
  const prices = { inputUsdPerMillion: 2, outputUsdPerMillion: 8 };

  async function openFork(started: Partial<PhaseEventData<'ModelCallStarted'>>) {
    const recorded = new RecordedPhase();
    recorded.state = foldStartedPhase({});
    const event = buildModelCallStarted(1, started);
    if (event.type === 'ModelCallStarted') recorded.modelCalls.set({ step: 1 } as never, event.data);
    // The recording allowed the summary.
    recorded.findGuardDecisions = () => [];
    const loadPhase = async () => recorded;
    return openSource({ loadPhase } as unknown as Recordings, forked);
  }

  it('has the limits and prices of the recorded model', async () => {
    const source = await openFork({ request: { ...request, contextTokens: 50_000 }, prices });
    expect(await source.findModel(forked, async () => undefined)).toMatchObject({
      profile: { name: 'default', maxOutputTokens: 700, prices },
      contextTokens: 50_000,
    });
  });

  it('has those of the worker if an older recording does not contain them', async () => {
    const source = await openFork({ request });
    const model = { contextTokens: 60_000 } as ConfiguredModel;
    expect(await source.findModel(forked, async () => model)).toBe(model);
  });

  it('asks the guards itself whether the conversation may be summarised', async () => {
    const source = await openFork({ request });
    const decided: PhaseEvent[] = [];
    expect(await source.decideGuards(forked, { point: 'PreCompact' }, async () => decided)).toBe(decided);
  });
});

describe('the time of a write', () => {
  const written = {
    path: 'a.md',
    hash: contentHash(new Uint8Array([1])),
    size: 1,
    writtenAt: '2026-02-03T04:05:06.000Z',
  };

  it('is that of the commit when a phase runs live', () => {
    const commit = new PendingCommit(foldStartedPhase({}), noBlobs, new Date(5));
    commit.changeFiles([{ path: 'a.md', content: new Uint8Array([1]) }]);
    expect(commit.events).toMatchObject([{ data: { writtenAt: '1970-01-01T00:00:00.005Z' } }]);
    expect(commit.state.tree['a.md']).toMatchObject({ writtenAt: '1970-01-01T00:00:00.005Z' });
    expect(liveSource.findWriteTime('a.md', new Uint8Array([1]))).toBeUndefined();
  });

  it('is that of the recording when a remote call or a file of the phase itself is repeated', async () => {
    const recorded = new RecordedPhase();
    recorded.ownFiles.set('a.md', written);
    const source = createRecordedSource(recorded, recordings);
    expect(source.findWriteTime('a.md', new Uint8Array([1]))).toBe(written.writtenAt);
    expect(source.findWriteTime('a.md', new Uint8Array([2]))).toBeUndefined();
    const state = foldStartedPhase(recording('recorded'), buildRequested('work'));
    const commit = new PendingCommit(state, noBlobs, new Date(5));
    const end = { type: 'ToolCallCompleted', data: { callId: 'c', content: '', attempts: 1, durationMs: 1 } } as const;
    const facts: PhaseEvent[] = [{ type: 'FileWritten', data: { ...written, callId: 'c' } }];
    const call = { callId: 'c', name: 'work', arguments: {}, lane: 'remote', facts, end } as const;
    const run = await replayRemoteCall(state, getAdmittedCall(state.calls, 'c'), call, {
      others: recordings,
      run: vi.fn(),
    });
    if (typeof run === 'object') await run.recordEnd(commit);
    expect(commit.events).toEqual([...facts, end]);
  });
});
