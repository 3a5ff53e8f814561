import { randomUUID } from 'node:crypto';
import { PhaselineClient } from '@phaseline/client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  appendUnchecked,
  phaseEvents,
  startOrchestrator,
  type OrchestratorForSpecs,
} from '../testing/orchestrator-for-specs.js';

const quick = { PHASELINE_RECONCILE_INTERVAL_MS: '100', PHASELINE_RECONCILE_IDLE_MS: '100' };
let one: OrchestratorForSpecs;
let two: OrchestratorForSpecs;

beforeAll(async () => {
  one = await startOrchestrator(quick);
  two = await startOrchestrator(quick, { beside: one });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

const clientOf = ({ url }: OrchestratorForSpecs): PhaselineClient => new PhaselineClient({ baseUrl: url, retries: 0 });

async function submit(orchestrator: OrchestratorForSpecs): Promise<string> {
  return (await clientOf(orchestrator).submit({ agent: 'writer' })).jobId;
}

async function inDatabase<Row>(statement: string, values: unknown[] = []): Promise<Row[]> {
  const owner = new pg.Client({ connectionString: one.databaseUrls.owner });
  await owner.connect();
  return owner
    .query(statement, values)
    .then(({ rows }) => rows as Row[])
    .finally(() => owner.end());
}

/** Returns the job of each message on a queue. */
async function queued(queue: string): Promise<string[]> {
  const rows = await inDatabase<{ data: { jobId: string } }>('SELECT data FROM bullmq.job WHERE queue = $1', [queue]);
  return rows.map(({ data }) => data.jobId);
}

describe('two orchestrators', () => {
  it('decide each job once, whichever received the request', async () => {
    const jobIds = await Promise.all(Array.from({ length: 24 }, (_, number) => submit(number % 2 === 0 ? one : two)));
    await Promise.all(
      jobIds.map((jobId, number) =>
        (number % 2 === 0 ? two : one).inPhase(jobId, 1, [
          phaseEvents.todoDone(1),
          phaseEvents.todoDone(2),
          phaseEvents.ended('planned'),
        ]),
      ),
    );
    for (const jobId of jobIds) {
      await expect.poll(async () => (await clientOf(one).get(jobId)).phase?.number).toBe(2);
      const types = (await one.store.read(`job-${jobId}`)).map(({ type }) => type);
      expect(types).toEqual(['JobSubmitted', 'PhaseDispatched', 'PhaseEnded', 'PhaseDispatched']);
    }
  });

  it('give the same responses, and show jobs of the other immediately', async () => {
    const jobId = await submit(one);
    expect((await clientOf(two).get(jobId)).jobId).toBe(jobId);
    expect(await clientOf(two).cancel(jobId)).toMatchObject({ changed: true, status: 'cancelled' });
    expect((await clientOf(one).get(jobId)).status).toBe('cancelled');
  });

  it('send every lost message again', async () => {
    const jobIds = await Promise.all([submit(one), submit(two), submit(one)]);
    const findQueued = async (): Promise<string[]> => {
      const there = await queued('strategic');
      return jobIds.filter((jobId) => there.includes(jobId));
    };
    await expect.poll(findQueued).toEqual(jobIds);
    await inDatabase('DELETE FROM bullmq.job WHERE queue = $1', ['strategic']);
    await expect.poll(findQueued, { timeout: 10_000 }).toEqual(jobIds);
    // A message that is on the queue is not added again, however many passes run.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const stillQueued = await queued('strategic');
    for (const jobId of jobIds) expect(stillQueued.filter((other) => other === jobId)).toHaveLength(1);
  });

  it('report a stream that cannot be read once, and continue with the others', async () => {
    const broken = await submit(one);
    await expect.poll(async () => (await clientOf(one).get(broken)).phase?.number).toBe(1);
    await appendUnchecked(one, {
      streamId: `phase-${broken}-1`,
      correlationId: broken,
      expectedVersion: 'any',
      events: [{ eventId: randomUUID(), type: 'TodoCompleted', schemaVersion: 1, data: { todoId: 'x' }, metadata: {} }],
    });
    const good = await submit(two);
    await expect.poll(() => countReports(one, broken), { timeout: 10_000 }).toBe(1);
    await one.inPhase(good, 1, [phaseEvents.completed()]);
    expect((await clientOf(one).wait(good, { pollMs: 20 })).status).toBe('completed');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(countReports(one, broken)).toBe(1);
  });

  it('take over the jobs of one that stops', async () => {
    const third = await startOrchestrator(quick, { beside: one });
    const jobIds = await Promise.all(Array.from({ length: 12 }, (_, number) => submit(number % 2 === 0 ? third : one)));
    await third.stop();
    for (const jobId of jobIds) await one.inPhase(jobId, 1, [phaseEvents.completed()]);
    for (const jobId of jobIds)
      expect((await clientOf(two).wait(jobId, { pollMs: 20, timeoutMs: 15_000 })).status).toBe('completed');
  });
});

/** Returns how often the reconciler reported a stream of the job. */
function countReports({ log }: OrchestratorForSpecs, jobId: string): number {
  return log()
    .split('\n')
    .filter((line) => line.includes('cannot be reconciled') && line.includes(`"stream":"phase-${jobId}-1"`)).length;
}
