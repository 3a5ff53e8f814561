import { setTimeout as sleep } from 'node:timers/promises';
import { PhaselineClient } from '@phaseline/client';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

/** An orchestrator with the default intervals. */
let orchestrator: OrchestratorForSpecs;
let database: pg.Client;
let client: PhaselineClient;
beforeAll(async () => {
  orchestrator = await startOrchestrator();
  database = new pg.Client({ connectionString: orchestrator.databaseUrls.owner });
  await database.connect();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(async () => {
  await database.end();
  await orchestrator.stop();
});

const QUIET_MS = 10_000;
/**
 * Maximum number of passes until a lost message is back: the loss may happen during a pass, and in the next one the
 * stream may narrowly miss the idle time.
 */
const MAX_PASSES = 3;

async function passes(): Promise<number> {
  const text = await (await orchestrator.fetch('/metrics')).text();
  return Number(/phaseline_reconciler_passes_total\{.*outcome="done".*\} (\d+)/.exec(text)?.[1] ?? 0);
}
const loseMessages = () => database.query(`DELETE FROM bullmq.job WHERE queue = 'strategic'`);
const isQueued = async (jobId: string): Promise<boolean> => {
  const { rows } = await database.query<{ data: { jobId: string } }>(
    `SELECT data FROM bullmq.job WHERE queue = 'strategic'`,
  );
  return rows.some(({ data }) => data.jobId === jobId);
};

/** Loses the message of a job and returns the number of passes until it is back. */
async function countPassesToRecover(jobId: string): Promise<number> {
  await expect.poll(() => isQueued(jobId), { interval: 20 }).toBe(true);
  const [before, lostAt] = [await passes(), performance.now()];
  await loseMessages();
  await expect.poll(() => isQueued(jobId), { interval: 20, timeout: 30_000 }).toBe(true);
  const passesTaken = (await passes()) - before;
  console.info(`a lost message was back after ${passesTaken} passes, ${Math.round(performance.now() - lostAt)} ms`);
  return passesTaken;
}

it('a lost message is sent again within a few passes, however often it is lost', async () => {
  const { jobId } = await client.submit({ agent: 'writer' });
  for (let time = 0; time < 3; time += 1) expect(await countPassesToRecover(jobId)).toBeLessThanOrEqual(MAX_PASSES);
  await client.cancel(jobId);
});

it('a reconciler that rests while every job waits for a person starts again as soon as one can continue', async () => {
  const { jobId } = await client.submit({ agent: 'writer' });
  await expect.poll(() => isQueued(jobId)).toBe(true);
  await client.control(jobId, 'pause', {});
  await loseMessages();
  await expect
    .poll(
      async () => {
        const before = await passes();
        await sleep(QUIET_MS);
        return (await passes()) - before;
      },
      { timeout: 60_000 },
    )
    .toBe(0);
  expect(await isQueued(jobId)).toBe(false);
  await client.control(jobId, 'resume', {});
  expect(await countPassesToRecover(jobId)).toBeLessThanOrEqual(MAX_PASSES);
});
