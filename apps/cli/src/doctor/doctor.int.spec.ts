import { createPool, RELEASE } from '@phaseline/event-store';
import { Quarantine } from '@phaseline/cluster';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { createFakeHost } from '../testing/fake-streams.js';
import { allChecks } from './all-checks.js';

let database: TestDatabase;
let pool: ReturnType<typeof createPool>;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.ownerUrl, { max: 2 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function runDoctor(args: readonly string[], env: NodeJS.ProcessEnv = { DATABASE_URL: database.serviceUrl }) {
  const host = createFakeHost({ env, now: Date.now });
  const code = await runCli(['doctor', ...args], host);
  return { code, out: host.stdout.text, err: host.stderr.text };
}

it('checks a system whose services are down, and says what to type next', async () => {
  const { code, out } = await runDoctor([]);
  expect(out).toMatch(/^✓ node /);
  expect(out).toMatch(/\n! services +no service is running; no job is open\n +→ phaseline up\n/);
  expect(out).toMatch(/\n\d+ warnings?\.\n$/);
  expect(code).toBe(0);
});

it('prints one JSON document with a stable name per check; only failures change the exit code', async () => {
  const { code, out } = await runDoctor(['--json']);
  const report = JSON.parse(out) as { passed: boolean; findings: { check: string; level: string }[] };
  expect(code).toBe(0);
  expect(report.passed).toBe(true);
  expect([...new Set(report.findings.map(({ check }) => check))]).toEqual(allChecks.map(({ name }) => name));
  expect(out).not.toContain(new URL(database.serviceUrl).password);

  await pool.query(`UPDATE phaseline.migrations SET hash = 'x' WHERE name LIKE '000001%'`);
  const failed = await runDoctor(['--json', '--only', 'migrations']);
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.out)).toMatchObject({ passed: false, counts: { fail: 1, ok: 0 } });
});

it('runs only the checks of --only, and lists the known ones for an unknown name', async () => {
  const { code, out } = await runDoctor(['--only', 'node,disk']);
  expect(out.match(/^. \w+/gm)).toEqual(['✓ node', '✓ disk']);
  expect(code).toBe(0);
  const unknown = await runDoctor(['--only', 'weather']);
  expect(unknown).toMatchObject({
    code: 2,
    err: expect.stringContaining('There is no check "weather". Known checks: node, database'),
  });
});

it('fixes what it can and checks again', async () => {
  const quarantine = new Quarantine(pool, { maxFailures: 1, release: RELEASE });
  await quarantine.recordFailure({ streamId: 'job-1', correlationId: '1', fingerprint: 'f', reason: 'no' });
  const before = await runDoctor(['--only', 'quarantined-jobs']);
  expect(before.out).toContain('is in quarantine');
  const { code, out } = await runDoctor(['--only', 'quarantined-jobs', '--fix']);
  expect(out).toMatch(/^fixed {2}quarantined-jobs: released job-1\n✓ quarantined-jobs +none\n/);
  expect(code).toBe(0);
});

it('reports which checks it skipped if the database is unreachable', async () => {
  const url = new URL(database.serviceUrl);
  url.port = '1';
  const { code, out } = await runDoctor([], { DATABASE_URL: url.href });
  expect(code).toBe(1);
  expect(out).toMatch(/\n✗ database +DATABASE_URL \(127\.0\.0\.1:1\): .*ECONNREFUSED/);
  expect(out).toMatch(/\n– jobs +not checked: /);
  expect(out).toMatch(/1 failure, .*; \d+ checks skipped\.\n$/);
  expect(out).not.toContain(url.password);
});
