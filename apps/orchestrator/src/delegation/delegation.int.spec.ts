import { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { isDelegating, type PhaseState } from '@phaseline/domain';
import { ChildJobs, PostgresChildJobTable } from '@phaseline/orchestration';
import { createTestPool } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { phaseEvents, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';
import { brief, briefBlob, delegate } from '../testing/delegate.js';
import { Delegation } from './delegation.js';

let orchestrator: OrchestratorForSpecs;
let other: OrchestratorForSpecs;
let client: PhaselineClient;
let pool: pg.Pool;

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  other = await startOrchestrator({}, { beside: orchestrator });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  pool = createTestPool({ connectionString: orchestrator.databaseUrls.service, max: 2 });
});
afterAll(async () => {
  await pool.end();
  await other.stop();
  await orchestrator.stop();
});

async function submitParent(): Promise<JobId> {
  return (await client.submit({ agent: 'writer', labels: { project: 'lamp' } })).jobId;
}

async function findChild(parentId: JobId, callId: string): Promise<JobId> {
  let childId: JobId | undefined;
  await expect
    .poll(async () => {
      const { rows } = await pool.query<{ child_id: JobId }>(
        'SELECT child_id FROM phaseline.child_jobs WHERE parent_id = $1 AND call_id = $2',
        [parentId, callId],
      );
      childId = rows[0]?.child_id;
      return childId && (await orchestrator.repository.loadJob(childId));
    })
    .toBeDefined();
  return childId!;
}

const loadPhase = async (jobId: JobId): Promise<PhaseState> => (await orchestrator.repository.loadPhase(jobId, 1))!;

async function findCall(jobId: JobId, callId: string) {
  const call = (await loadPhase(jobId)).calls.byId[callId]!;
  return call.status === 'denied' ? undefined : call;
}

const openChildren = async (jobId: JobId): Promise<number> =>
  Object.values((await loadPhase(jobId)).calls.byId).filter(isDelegating).length;

describe('a child job', () => {
  it('runs beside others, gets files, and returns its result, files and spending once', async () => {
    const parentId = await submitParent();
    await orchestrator.inPhase(parentId, 1, delegate({ one: 'writer', two: 'writer' }), [briefBlob]);
    const [one, two] = [await findChild(parentId, 'one'), await findChild(parentId, 'two')];
    expect(one).not.toBe(two);
    const { submitted } = (await orchestrator.repository.loadJob(one))!;
    const { submitted: parent } = (await orchestrator.repository.loadJob(parentId))!;
    expect(submitted).toMatchObject({
      delegatedBy: { jobId: parentId, phase: 1, callId: 'one', depth: 1 },
      labels: { project: 'lamp' },
      budgets: { maxCostUsd: 2, maxWallTimeMs: 60_000 },
      tree: { 'documents/notes/brief.md': brief },
    });
    const [first] = await orchestrator.store.read(`job-${one}`);
    expect(first!.metadata['actor']).toMatchObject({ id: 'system/delegation', onBehalfOf: { id: parent.actor } });
    expect((await loadPhase(parentId)).money.unconfirmed).toEqual({ costMicroUsd: 4_000_000, tokens: 0 });
    // The phase waits: neither a slot nor a worker is needed.
    expect((await client.get(parentId)).waitsFor).toMatchObject({ kind: 'child', callId: 'one' });

    await orchestrator.inPhase(
      one,
      1,
      [
        phaseEvents.answered(1),
        phaseEvents.wrote('output/text.md', brief.hash, brief.size),
        ...[phaseEvents.todoDone(1), phaseEvents.todoDone(2), phaseEvents.completed()],
      ],
      [briefBlob],
    );
    await expect.poll(() => openChildren(parentId)).toBe(1);
    const call = await findCall(parentId, 'one');
    expect(call).toMatchObject({ status: 'requested' });
    expect(call!.child!.end).toMatchObject({
      ...{ childJobId: one, outcome: 'completed', summary: 'done\nConfidence: 0.75.' },
      files: expect.arrayContaining([{ path: 'text.md', ...brief }]),
    });
    const { money } = await loadPhase(parentId);
    expect(money.unconfirmed).toEqual({ costMicroUsd: 2_000_000, tokens: 0 });
    expect(money.spending).toMatchObject({ steps: 1, costMicroUsd: 109, inputTokens: 110, outputTokens: 15 });

    await client.cancel(two);
    await expect.poll(() => openChildren(parentId)).toBe(0);
    expect((await findCall(parentId, 'two'))!.child!.end).toMatchObject({ outcome: 'cancelled', files: [] });
    expect((await loadPhase(parentId)).money.unconfirmed).toEqual({ costMicroUsd: 0, tokens: 0 });
    const { rows } = await pool.query<{ data: { jobId: string } }>(
      `SELECT data FROM bullmq.job WHERE queue = 'strategic' AND data ->> 'jobId' = $1`,
      [parentId],
    );
    expect(rows.length).toBeGreaterThan(0);
    const events = await orchestrator.store.read(`phase-${parentId}-1`);
    expect(events.filter(({ type }) => type === 'ChildJobEnded')).toHaveLength(2);
    await client.cancel(parentId);
  });

  it('is cancelled with its parent', async () => {
    const parentId = await submitParent();
    await orchestrator.inPhase(parentId, 1, delegate({ one: 'writer' }), [briefBlob]);
    const child = await findChild(parentId, 'one');
    await client.cancel(parentId);
    await expect.poll(async () => (await client.get(child)).status).toBe('cancelled');
  });

  it('is cancelled by the process that submits it after its phase has ended', async () => {
    const { add } = PostgresChildJobTable.prototype;
    onTestFinished(() => void vi.restoreAllMocks());
    // No process handles the events, as if each had handled the end of the phase before the child job was submitted.
    for (const one of [orchestrator, other]) vi.spyOn(one.get(Delegation), 'handle').mockResolvedValue();
    const parentId = await submitParent();
    await orchestrator.inPhase(parentId, 1, delegate({ one: 'writer' }), [briefBlob]);
    vi.spyOn(PostgresChildJobTable.prototype, 'add').mockImplementationOnce(async function (
      this: PostgresChildJobTable,
      child,
    ) {
      await client.cancel(parentId);
      await add.call(this, child);
    });
    await orchestrator.get(ChildJobs).submitRequested(parentId);
    const child = await findChild(parentId, 'one');
    expect((await client.get(child)).status).toBe('cancelled');
  });

  it('is refused for an agent that does not exist, and below a child of a child', async () => {
    const parentId = await submitParent();
    await orchestrator.inPhase(parentId, 1, delegate({ one: 'writer', two: 'nobody' }), [briefBlob]);
    await expect.poll(() => openChildren(parentId)).toBe(1);
    expect((await findCall(parentId, 'two'))!.child!.end).toMatchObject({
      outcome: 'refused',
      summary: expect.stringContaining('nobody'),
    });
    const child = await findChild(parentId, 'one');
    await orchestrator.inPhase(child, 1, delegate({ deeper: 'writer' }), [briefBlob]);
    const grandchild = await findChild(child, 'deeper');
    await orchestrator.inPhase(grandchild, 1, delegate({ deepest: 'writer' }), [briefBlob]);
    await expect.poll(() => openChildren(grandchild)).toBe(0);
    expect((await findCall(grandchild, 'deepest'))!.child!.end).toMatchObject({ outcome: 'refused' });
    await client.cancel(parentId);
    await expect.poll(async () => (await client.get(grandchild)).status).toBe('cancelled');
  });
});
