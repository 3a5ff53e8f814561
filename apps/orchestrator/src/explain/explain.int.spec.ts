import { randomUUID } from 'node:crypto';
import { InvalidRequest, PhaselineClient } from '@phaseline/client';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createPool, MasterKeys } from '@phaseline/event-store';
import { Retention } from '@phaseline/orchestration';
import pg from 'pg';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
beforeAll(async () => {
  orchestrator = await startOrchestrator({ PHASELINE_MASTER_KEY: MasterKeys.generate() });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Submits a job and waits for its first phase, which no worker of this spec takes. */
async function submitted(content = 'one\ntwo\n'): Promise<string> {
  const { jobId } = await client.submit({ agent: 'writer', documents: [{ name: 'a.md', content }] });
  await expect.poll(async () => (await client.state(jobId)).phases.length).toBe(1);
  return jobId;
}

it('names the person who changed a line, and leaves the others to the submission', async () => {
  const jobId = await submitted();
  const { id } = await client.whoAmI();
  await client.writeFile(jobId, 'documents/a.md', bytes('one\n2\n'), { reason: 'a number' });
  const found = await client.explain(jobId, 'documents/a.md');
  expect(found).toMatchObject({ jobId, lines: 2 });
  expect(found.ranges.map(({ from, to, write }) => [from, to, found.writes[write]?.author])).toEqual([
    [1, 1, 'import'],
    [2, 2, 'person'],
  ]);
  expect(found.writes.map(({ actor }) => actor)).toEqual([id, id]);
  const { position } = found.writes[1]!.event;
  const before = await client.explain(jobId, 'documents/a.md', { line: 2, at: position - 1 });
  expect(before).toMatchObject({ text: 'two', writes: [{ author: 'import' }] });
});

it('says what is wrong with a request', async () => {
  const jobId = await submitted();
  const explain = (path: string, options = {}) => client.explain(jobId, path, options);
  await expect(explain('documents/b.md')).rejects.toMatchObject({
    code: 'file_not_found',
    message: expect.stringContaining('Did you mean "documents/a.md"?'),
  });
  await expect(explain('documents/a.md', { line: 3 })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('"documents/a.md" has 2 lines, so it has no line 3.'),
  });
  await expect(explain('documents/a.md', { line: 0 })).rejects.toThrow(InvalidRequest);
  await expect(explain('../a.md')).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(explain('documents/a.md', { at: 1 })).rejects.toMatchObject({ code: 'job_not_found' });
  await expect(client.explain(randomUUID(), 'a.md')).rejects.toMatchObject({ code: 'job_not_found' });
  await client.writeFile(jobId, 'image.png', new Uint8Array([0, 1]));
  await expect(explain('image.png')).rejects.toMatchObject({ code: 'file_not_explainable' });
  const { status } = await orchestrator.json(`/v1/jobs/${jobId}/explain`);
  expect(status).toBe(400);
});

it('explains a file of an encrypted job until it is erased', async () => {
  const { jobId } = await client.submit({ agent: 'writer', instructions: 'secret', encrypt: true });
  expect(await client.explain(jobId, 'instructions.md', { line: 1 })).toMatchObject({ writes: [{ author: 'import' }] });
  await client.cancel(jobId);
  await client.wait(jobId, { timeoutMs: 60_000 });
  await client.erase(jobId);
  await expect(client.explain(jobId, 'instructions.md')).rejects.toMatchObject({ code: 'content_erased' });
  await expect(client.explain(jobId, 'other.md')).rejects.toMatchObject({ code: 'content_erased' });
});

/** Runs retention in the year after all jobs have ended. */
async function removeFiles(): Promise<number> {
  const pool = createPool(orchestrator.databaseUrls.service, { max: 2, applicationName: 'spec' });
  onTestFinished(() => pool.end());
  await pool.query(
    `INSERT INTO phaseline.retention_settings (tenant, files_days) VALUES ('default', 30) ON CONFLICT DO NOTHING`,
  );
  const owner = new pg.Client({ connectionString: orchestrator.databaseUrls.owner });
  await owner.connect();
  await owner.query(`UPDATE phaseline.blobs SET stored_at = stored_at - interval '2 days'`);
  await owner.end();
  const now = new Date(Date.now() + 366 * 24 * 60 * 60 * 1_000);
  let removed = 0;
  const retention = new Retention(orchestrator.store, pool);
  for await (const { outcome } of retention.run({ actor: { id: 'spec', kind: 'process' }, now }))
    removed += outcome.kind === 'removed' ? outcome.files : 0;
  return removed;
}

it('says that retention removed the content, also of a file that was explained before', async () => {
  const jobId = await submitted('only here\n');
  await client.explain(jobId, 'documents/a.md');
  await client.cancel(jobId, { reason: 'done' });
  await expect.poll(async () => (await client.get(jobId)).status).toBe('cancelled');
  await expect.poll(removeFiles, { timeout: 60_000, interval: 500 }).toBeGreaterThan(0);
  await expect(client.explain(jobId, 'documents/a.md')).rejects.toMatchObject({ code: 'file_removed' });
});
