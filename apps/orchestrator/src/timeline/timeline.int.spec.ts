import { PhaselineClient } from '@phaseline/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWithLongJob } from '../testing/long-job.js';
import { phaseEvents, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let subject: Awaited<ReturnType<typeof startWithLongJob>>;
let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
beforeAll(async () => {
  subject = await startWithLongJob({ phases: 3, eventsPerPhase: 400 });
  orchestrator = subject.orchestrator;
  client = new PhaselineClient({ baseUrl: orchestrator.url });
}, 60_000);
afterAll(() => subject?.stop());

describe('the timeline of a job', () => {
  it('has a lane per phase, whose spans name the events that begin and end them', async () => {
    const { jobId } = subject;
    const events = await orchestrator.store.readCorrelation(jobId);
    const timeline = await client.timeline(jobId, { width: 200 });
    expect(timeline).toMatchObject({ eventCount: events.length, isTruncated: false, marks: [] });
    expect(timeline.phases.map(({ phase, kind, state, outcome }) => [phase, kind, state, outcome])).toEqual([
      [1, 'tactical', 'work', 'done'],
      [2, 'tactical', 'work', 'done'],
      [3, 'tactical', 'work', 'done'],
    ]);
    const typeAt = new Map(events.map(({ position, type }) => [position, type]));
    const spans = timeline.phases.flatMap((phase) => phase.spans);
    expect(spans.length).toBeLessThanOrEqual(4 * (200 + 3 + 2));
    expect(
      new Set(spans.filter(({ kind }) => kind === 'tool').map(({ fromPosition }) => typeAt.get(fromPosition))),
    ).toEqual(new Set(['ToolCallRequested']));
    const calls = spans.filter(({ kind }) => kind === 'tool').reduce((sum, { count }) => sum + count, 0);
    expect(calls).toBe(events.filter(({ type }) => type === 'ToolCallRequested').length);
    const first = timeline.phases[0]!;
    const window = await client.timeline(jobId, { from: first.start, to: first.end!, width: 200 });
    expect(window.phases[0]!.phase).toBe(1);
    expect(window.columnMs).toBeLessThanOrEqual(timeline.columnMs);
  });

  it('contains events that were recorded after it was read before, and what a running phase does now', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    await orchestrator.inPhase(jobId, 1, [phaseEvents.todoDone(1)]);
    const before = await client.timeline(jobId);
    expect(before.phases).toMatchObject([{ phase: 1, kind: 'strategic', state: 'plan' }]);
    expect(before.phases[0]).not.toHaveProperty('end');
    await orchestrator.inPhase(jobId, 1, [
      {
        type: 'ToolCallRequested',
        data: {
          ...{ callId: 'call-1', step: 1, name: 'fetch', arguments: {}, lane: 'remote', effect: 'pure' },
          ...{ traits: [], timeoutMs: 1_000 },
        },
      },
    ]);
    const after = await client.timeline(jobId);
    expect(after.eventCount).toBe(before.eventCount + 1);
    expect(after.phases[0]!.spans.at(-1)).toMatchObject({ kind: 'tool', name: 'fetch', count: 1 });
    expect(after.phases[0]!.spans.at(-1)).not.toHaveProperty('end');
  });

  it('of a job that does not exist is not found', async () => {
    const unknown = '0190a0b0-0000-7000-8000-000000000001';
    await expect(client.timeline(unknown)).rejects.toMatchObject({ code: 'job_not_found' });
    await expect(client.workflow(unknown)).rejects.toMatchObject({ code: 'job_not_found' });
  });
});

it('the workflow of a job is a graph of its states and outcomes', async () => {
  const { jobId } = await client.submit({ agent: 'writer' });
  expect(await client.workflow(jobId)).toEqual({
    jobId,
    name: 'short',
    version: 1,
    start: 'plan',
    states: [
      { name: 'plan', title: 'Plan', kind: 'strategic' },
      { name: 'review', title: 'Review', kind: 'strategic' },
    ],
    transitions: [
      { from: 'plan', outcome: 'planned', to: 'review', gates: [], isHandoff: false },
      { from: 'plan', outcome: 'completed', end: 'completed', gates: [], isHandoff: false },
      { from: 'review', outcome: 'done', end: 'completed', gates: [], isHandoff: false },
    ],
  });
});
