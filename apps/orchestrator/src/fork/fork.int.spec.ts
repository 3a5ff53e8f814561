import { createTestPool } from '@phaseline/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PhaselineClient } from '@phaseline/client';
import { jobStream, phaseStream, type PhaseEvent } from '@phaseline/domain';
import { sha256 } from '@phaseline/workspace';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let app: OrchestratorForSpecs;
let client: PhaselineClient;
let jobId: string;
beforeAll(async () => {
  app = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: app.url });
  ({ jobId } = await client.submit({ agent: 'writer' }));
  const content = new TextEncoder().encode('first\n');
  const hash = sha256(content);
  await app.inPhase(
    jobId,
    1,
    [
      answer(1, 'Looking.'),
      {
        type: 'FileWritten',
        data: { path: 'notes.md', hash, size: content.byteLength, writtenAt: '2026-01-01T00:00:00.000Z' },
      },
      { type: 'TodoCompleted', data: { todoId: 1, callId: 'c1' } },
    ],
    [{ hash, content }],
  );
});
afterAll(async () => {
  await app.stop();
});

const answer = (step: number, content: string): PhaseEvent => ({
  type: 'ModelResponded',
  data: {
    step,
    model: 'default',
    content,
    calls: [],
    end: 'stop',
    usage: { inputTokens: 100, cachedInputTokens: 0, outputTokens: 10, estimated: false },
    costMicroUsd: 500,
    durationMs: 1,
  },
});
const positionOf = async (type: string): Promise<number> =>
  (await app.store.readCorrelation(jobId, { types: [type] })).at(-1)!.position;

describe('a fork over HTTP', () => {
  it('creates, in one call, a job that continues with the state of the parent', async () => {
    const at = await positionOf('TodoCompleted');
    const fork = await client.fork(jobId, {
      position: at,
      models: { strategic: 'other' },
      limits: { steps: 9 },
    });
    expect(fork).toMatchObject({ parentId: jobId, position: at, mode: 'live', created: true, status: 'running' });
    const own = await app.store.readCorrelation(fork.jobId);
    expect(own.map(({ type, streamId }) => [type, streamId])).toEqual([
      ['JobForked', jobStream(fork.jobId)],
      ['PhaseForked', phaseStream(fork.jobId, 1)],
    ]);
    expect(await client.get(fork.jobId)).toMatchObject({
      status: 'running',
      agent: 'writer',
      phase: { number: 1, todosDone: 1, todosTotal: 2 },
      usage: { steps: 1, costMicroUsd: 500 },
    });
    const state = await client.state(fork.jobId);
    expect(state.phase).toMatchObject({
      start: { identity: { jobId: fork.jobId }, terms: { model: 'other', limits: { steps: 9 } } },
    });
    expect(await client.readText(fork.jobId, 'notes.md')).toBe('first\n');
    // The orchestrator handles it like any job.
    await app.inPhase(fork.jobId, 1, [{ type: 'PhaseCompleted', data: { outcome: 'completed' } }]);
    expect(await client.wait(fork.jobId, { timeoutMs: 20_000 })).toMatchObject({ status: 'completed' });
    expect((await client.get(jobId)).status).toBe('running');
    const compared = await client.compare(jobId, fork.jobId);
    expect(compared).toMatchObject({
      // Only the fork has the file of completed jobs.
      hasSameFiles: false,
      right: { status: 'completed', fork: { position: at, parent: { jobId } } },
      firstDifference: { phase: 1, right: { type: 'PhaseCompleted' } },
    });
  });

  it('that is refused says why', async () => {
    const at = await positionOf('TodoCompleted');
    const requestFork = (body: object) =>
      app.json(`/v1/jobs/${jobId}/fork`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect(await requestFork({ position: at, agent: 'nobody' })).toMatchObject({
      status: 422,
      body: { code: 'unknown_agent' },
    });
    expect(await requestFork({ position: at, models: { tactical: 'othr' } })).toMatchObject({
      status: 422,
      body: { code: 'unknown_model', message: expect.stringContaining('Did you mean "other"?') },
    });
    expect(await requestFork({ position: at, limits: { stepz: 4 } })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
    expect(await requestFork({ position: 0 })).toMatchObject({ status: 400 });
    for (const [unrecorded, message] of [
      [{ fetch_url: 'run' }, 'no tool named fetch_url'],
      [{ read_file: 'skip' }, 'unrecorded.read_file'],
    ] as const)
      expect(await requestFork({ position: at, mode: 'recorded', unrecorded })).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', message: expect.stringContaining(message) },
      });
    expect(await requestFork({ position: at, mode: 'recorded', unrecorded: { '*': 'run' } })).toMatchObject({
      status: 201,
    });
    const [first] = await app.store.readCorrelation(jobId, { limit: 1 });
    expect(await requestFork({ position: Math.max(1, first!.position - 1) })).toMatchObject(
      first!.position > 1 ? { status: 404, body: { code: 'job_not_found' } } : { status: 201 },
    );
    const early = await requestFork({ position: first!.position, response: { content: 'x' } });
    expect(early).toMatchObject({ status: 409, body: { code: 'request_refused' } });
    const key = { position: at, idempotencyKey: 'same' };
    const created = await requestFork(key);
    expect([created.status, (await requestFork(key)).status]).toEqual([201, 200]);
    expect(await requestFork({ ...key, mode: 'recorded' })).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
    });
  });
});

describe('a difference over HTTP', () => {
  it('is available between two positions, with patches on request', async () => {
    const from = await positionOf('PhaseStarted');
    const diff = await client.diff(jobId, { from, patches: true });
    expect(diff).toMatchObject({
      jobId,
      from: { position: from, phase: 1 },
      todos: [{ phase: 1, id: 1, from: 'open', to: 'done' }],
      files: { added: [{ path: 'notes.md', size: 6 }] },
      usageChange: { steps: 1, costMicroUsd: 500 },
    });
    expect(diff.patches![0]!.patch).toContain('+first');
    expect(await client.diff(jobId, { from })).not.toHaveProperty('patches');
    expect(await app.json(`/v1/jobs/${jobId}/diff`)).toMatchObject({ status: 400 });
  });
});

describe('snapshots', () => {
  it('are taken after a phase has ended', async () => {
    const other = (await client.submit({ agent: 'writer' })).jobId;
    await app.inPhase(other, 1, [{ type: 'PhaseCompleted', data: { outcome: 'completed' } }]);
    await client.wait(other, { timeoutMs: 20_000 });
    const pool = createTestPool({ connectionString: app.databaseUrls.service, max: 1 });
    try {
      const readSnapshots = async () =>
        (
          await pool.query<{ stream_id: string }>(
            `SELECT stream_id FROM phaseline.snapshots WHERE stream_id LIKE '%' || $1 || '%' ORDER BY 1`,
            [other],
          )
        ).rows.map(({ stream_id }) => stream_id);
      await expect.poll(readSnapshots, { timeout: 20_000 }).toEqual([jobStream(other), phaseStream(other, 1)]);
    } finally {
      await pool.end();
    }
  });
});
