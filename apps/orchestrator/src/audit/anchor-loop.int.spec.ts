import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAuditKey, verifyAnchors } from '@phaseline/audit';
import { createPool } from '@phaseline/event-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let folder: string;
let one: OrchestratorForSpecs;
let two: OrchestratorForSpecs;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'anchor-loop-'));
  await openAuditKey(join(folder, 'key.pem'));
  const env = { PHASELINE_AUDIT_KEY_FILE: join(folder, 'key.pem'), PHASELINE_AUDIT_ANCHOR_INTERVAL_MS: '100' };
  one = await startOrchestrator(env);
  two = await startOrchestrator(env, { beside: one });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
  await rm(folder, { recursive: true });
});

it('two orchestrators anchor the log in one unbroken chain of anchors', async () => {
  const pool = createPool(one.databaseUrls.service, { max: 1 });
  const events = async (): Promise<number> =>
    Number((await pool.query<{ count: string }>('SELECT count(*) FROM phaseline.events')).rows[0]!.count);
  try {
    for (let job = 0; job < 3; job += 1) {
      await (job % 2 ? one : two).json('/v1/jobs', post({ agent: 'writer' }));
      // Wait until each job is anchored before submitting the next one, so that there are several anchors.
      await expect
        .poll(async () => (await verifyAnchors(pool)).last?.events === (await events()), { timeout: 20_000 })
        .toBe(true);
    }
    const report = await verifyAnchors(pool);
    expect(report.problems).toEqual([]);
    expect(report.anchors).toBeGreaterThanOrEqual(3);
    const { rows } = await pool.query<{ anchors: string }>(
      'SELECT count(*) AS anchors FROM phaseline.anchors WHERE heads = 0',
    );
    expect(rows[0]!.anchors).toBe('0');
  } finally {
    await pool.end();
  }
});

it('a key that cannot be read prevents the start', async () => {
  const start = startOrchestrator({ PHASELINE_AUDIT_KEY_FILE: join(folder, 'none.pem') });
  await expect(start).rejects.toThrow(/none\.pem is not a usable Ed25519 key/);
});
