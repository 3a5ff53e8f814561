import { PhaselineClient } from '@phaseline/client';
import { buildModelCallStarted } from '@phaseline/domain/testing';
import { createPool } from '@phaseline/event-store';
import { Retention } from '@phaseline/orchestration';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

async function withOwner<Result>(work: (owner: pg.Client) => Promise<Result>): Promise<Result> {
  const owner = new pg.Client({ connectionString: orchestrator.databaseUrls.owner });
  await owner.connect();
  return work(owner).finally(() => owner.end());
}

/** Runs retention in the year after all jobs have ended. */
async function removeFiles(): Promise<number> {
  const pool = createPool(orchestrator.databaseUrls.service, { max: 2, applicationName: 'spec' });
  onTestFinished(() => pool.end());
  await pool.query(
    `INSERT INTO phaseline.retention_settings (tenant, files_days) VALUES ('default', 30) ON CONFLICT DO NOTHING`,
  );
  await withOwner((owner) => owner.query(`UPDATE phaseline.blobs SET stored_at = stored_at - interval '2 days'`));
  const now = new Date(Date.now() + 366 * 24 * 60 * 60 * 1_000);
  let removed = 0;
  for await (const { outcome } of new Retention(orchestrator.store, pool).run({
    actor: { id: 'spec', kind: 'process' },
    now,
  }))
    removed += outcome.kind === 'removed' ? outcome.files : 0;
  return removed;
}

it('content that retention removed is reported as removed, and other missing content as damaged', async () => {
  const { jobId } = await client.submit({ agent: 'writer', documents: [{ name: 'in.md', content: 'only here' }] });
  const other = await client.submit({ agent: 'writer', documents: [{ name: 'in.md', content: 'lost otherwise' }] });
  await expect.poll(async () => (await client.state(jobId)).phases.length).toBe(1);
  await client.writeFile(jobId, 'workspace.md', new TextEncoder().encode('in the prompt'));
  await orchestrator.inPhase(jobId, 1, [buildModelCallStarted(1)]);
  expect((await client.prompt(jobId, 1, 1)).request.messages[0]?.content).toContain('in the prompt');
  await client.cancel(jobId, { reason: 'done' });
  await expect.poll(async () => (await client.get(jobId)).status).toBe('cancelled');
  // Content is removed once the references of all earlier transactions are known.
  await expect.poll(removeFiles, { timeout: 60_000, interval: 500 }).toBeGreaterThan(0);
  await expect(client.readText(jobId, 'documents/in.md')).rejects.toMatchObject({
    code: 'file_removed',
    message: expect.stringContaining('removed by retention'),
  });
  await expect(client.prompt(jobId, 1, 1)).rejects.toMatchObject({ code: 'file_removed' });
  await withOwner(async (owner) => {
    await owner.query('ALTER TABLE phaseline.blobs DISABLE TRIGGER USER');
    await owner.query(`DELETE FROM phaseline.blobs WHERE content = 'lost otherwise'`);
  });
  await expect(client.readText(other.jobId, 'documents/in.md')).rejects.toMatchObject({ code: 'file_damaged' });
});
