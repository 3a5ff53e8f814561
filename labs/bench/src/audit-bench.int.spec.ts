import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@phaseline/testing';
import { expect, it } from 'vitest';
import { measureAudit } from './audit-bench.js';

it('measures a successful audit of realistic jobs and removes the export', async () => {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'audit-bench-'));
  try {
    const rows = await measureAudit({ databaseUrl: database.serviceUrl, events: 1_500, folder });
    expect(rows.map(({ what }) => what)).toEqual(['anchor', 'verify in the database', 'export', 'verify the export']);
    const [, online, exported, offline] = rows;
    expect(online!.events).toBeGreaterThanOrEqual(1_500);
    expect([exported!.events, offline!.events]).toEqual([online!.events, online!.events]);
    expect(await readdir(folder)).toEqual(['audit-key.pem']);
  } finally {
    await database.drop();
    await rm(folder, { recursive: true });
  }
});
