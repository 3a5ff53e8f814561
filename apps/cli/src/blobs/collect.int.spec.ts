import { createPool, EventStore } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { createFakeHost } from '../testing/fake-streams.js';

let database: TestDatabase;
let owner: ReturnType<typeof createPool>;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool(database.ownerUrl, { max: 2 });
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

async function collect(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const host = createFakeHost({ env: { DATABASE_URL: database.serviceUrl } });
  const code = await runCli(['blobs', 'collect', ...args], host);
  return { code, out: host.stdout.text, err: host.stderr.text };
}

it('reports what a dry run would remove, removes it, and then finds nothing', async () => {
  const { blobs } = new EventStore(owner);
  await blobs.put(Buffer.alloc(2_048, 'x'));
  expect(await collect()).toEqual({ code: 0, out: 'Nothing to remove.\n', err: '' });
  await owner.query(`UPDATE phaseline.blobs SET stored_at = now() - interval '3 hours'`);
  expect((await collect()).out).toBe('Nothing to remove.\n');
  expect((await collect('--grace-hours', '2', '--dry-run')).out).toBe('1 blob (2 KiB) would be removed.\n');
  expect(JSON.parse((await collect('--grace-hours', '2', '--json')).out)).toMatchObject({ blobs: 1, bytes: 2_048 });
  expect((await collect('--grace-hours', '2')).out).toBe('Nothing to remove.\n');
  expect((await collect('--grace-hours', '1')).code).not.toBe(0);
});
