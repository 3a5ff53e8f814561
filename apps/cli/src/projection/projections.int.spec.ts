import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentDefinitionSchema, workflowSchema } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { createFakeHost } from '../testing/fake-streams.js';

let database: TestDatabase;
let owner: ReturnType<typeof createPool>;
const jobId = randomUUID();

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool(database.ownerUrl, { max: 2 });
  const hash = '0'.repeat(64);
  const data = {
    jobId,
    actor: 'spec',
    requestHash: hash,
    agent: agentDefinitionSchema.parse({ name: 'tester', displayName: 'T', tools: {} }),
    agentHash: hash,
    workflow: workflowSchema.parse({
      name: 'short',
      version: 1,
      start: 'work',
      states: {
        work: { kind: 'tactical', title: 'W', todos: ['w'], finish: 'done', outcomes: { done: { end: 'completed' } } },
      },
    }),
    workflowHash: hash,
    tree: {},
    budgets: {},
    parameters: {},
    labels: {},
    priority: 0,
    tenant: 'default',
  };
  const pool = createPool(database.serviceUrl, { max: 2 });
  await new EventStore(pool).append({
    streamId: `job-${jobId}`,
    correlationId: jobId,
    expectedVersion: 0,
    events: [{ eventId: randomUUID(), type: 'JobSubmitted', schemaVersion: 1, data: data as never, metadata: {} }],
  });
  // Open transactions in other databases of the server may hold readers back for a moment.
  const passed = `SELECT max(transaction_id) < pg_snapshot_xmin(pg_current_snapshot()) AS passed FROM phaseline.events`;
  while (!(await pool.query<{ passed: boolean }>(passed)).rows[0]!.passed) await sleep(10);
  await pool.end();
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

async function runProjections(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const host = createFakeHost({ env: { DATABASE_URL: database.serviceUrl } });
  const code = await runCli(['projections', ...args], host);
  return { code, out: host.stdout.text, err: host.stderr.text };
}

describe('projections', () => {
  it('are empty at first, then rebuilt with the rights of a service, and then pass the check', async () => {
    const before = await runProjections('list', '--json');
    expect(JSON.parse(before.out)).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ name: 'jobs', version: 1, state: 'active', lagEvents: 1, rows: 0 }),
      ]) as unknown,
    });
    const rebuilt = await runProjections('rebuild');
    expect(rebuilt).toMatchObject({ code: 0, err: '' });
    expect(rebuilt.out).toMatch(
      /^✓ rebuilt jobs v2, phases v2, tool_calls v2, costs v2, queue_depth v2, decisions v2, plans v2, scheduled_tasks v2, pattern_decisions v2, preference_questions v2, stage_assessments v2: 1 job, 1 events in /,
    );
    expect((await runProjections('list')).out).toMatch(/^jobs +v2 +active +\d+ +0 +– +1$/m);
    const checked = await runProjections('check');
    expect(checked.code).toBe(0);
    expect(checked.out).toContain('✓ jobs v2: 1 row, all match the log');
  });

  it('fail the check with exit code 1 if a row was changed', async () => {
    await runProjections('rebuild', 'jobs');
    const { rows } = await owner.query<{ version: number }>(
      `SELECT version FROM phaseline.read_models WHERE name = 'jobs' AND state = 'active'`,
    );
    await owner.query(`UPDATE phaseline.jobs_v${rows[0]!.version} SET agent = 'impostor'`);
    const { code, out } = await runProjections('check', 'jobs');
    expect(code).toBe(1);
    expect(out).toContain(`job_id ${jobId}`);
    expect(out).toMatch(/table: .*impostor/);
    expect(out).toMatch(/log: .*tester/);
    const report = JSON.parse((await runProjections('check', '--json')).out) as { passed: boolean };
    expect(report.passed).toBe(false);
    await runProjections('rebuild', 'jobs');
    expect((await runProjections('check')).code).toBe(0);
  });

  it('are listed if an unknown one is named', async () => {
    expect(await runProjections('rebuild', 'tool-calls')).toMatchObject({ code: 0 });
    expect(await runProjections('rebuild', 'colours')).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no read model colours; there are jobs') as string,
    });
  });

  it('cannot be rebuilt twice at the same time', async () => {
    const lock = await owner.connect();
    await lock.query(`SELECT pg_advisory_lock(hashtextextended('phaseline.read-models', 7406318261))`);
    try {
      expect(await runProjections('rebuild')).toMatchObject({
        code: 4,
        err: expect.stringContaining('a rebuild is already running') as string,
      });
    } finally {
      lock.release(true);
    }
  });
});
