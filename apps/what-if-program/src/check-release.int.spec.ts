import { createPool } from '@phaseline/event-store';
import { createThreePhasePolicy, Engine, openStore, type OpenStore } from '@phaseline/harness';
import { releaseCheckMessageSchema, type JobId, type ReleaseCheckMessage } from '@phaseline/contracts';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkRelease } from './check-release.js';

let opened: OpenStore;
let pool: Pool;
let jobId: JobId;
beforeAll(async () => {
  opened = await openStore();
  pool = createPool(opened.url, { max: 2 });
  jobId = await new Engine({ store: opened.store, policy: createThreePhasePolicy() }).submitAndRun();
});
afterAll(async () => {
  await pool.end();
  await opened.close();
});

async function check(): Promise<readonly ReleaseCheckMessage[]> {
  const messages: ReleaseCheckMessage[] = [];
  for await (const message of checkRelease(pool, opened.store, { job: jobId, limit: 1 }))
    messages.push(releaseCheckMessageSchema.parse(JSON.parse(JSON.stringify(message))));
  return messages;
}

it('every decision of a job in PostgreSQL is made again, and none differs', async () => {
  const before = await opened.store.readCorrelation(jobId);
  const [started, checked] = await check();
  expect(started).toMatchObject({ kind: 'started', jobs: 1 });
  expect(checked).toMatchObject({ kind: 'checked', check: { jobId, differences: [], unknown: {} } });
  const { commits, decisions } = checked?.kind === 'checked' ? checked.check : { commits: 0, decisions: 0 };
  expect(commits).toBe(new Set(before.map(({ transactionId }) => transactionId)).size);
  // All but the submission and the answers of the model, which are inputs.
  const inputs = before.filter(({ type }) => type === 'JobSubmitted' || type === 'ModelResponded').length;
  expect(decisions).toBe(before.length - inputs);
  expect(await opened.store.readCorrelation(jobId)).toHaveLength(before.length);
});
