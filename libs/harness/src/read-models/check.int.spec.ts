import { checkReadModels, readProjectionLag, readProjectionStatus, rebuildReadModels } from '@phaseline/projections';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProjectionsFixture } from './projections.fixture.js';

let setup: ProjectionsFixture;
beforeEach(async () => {
  setup = await ProjectionsFixture.open();
});
afterEach(() => setup.close());

const FIRST = `ctid = (SELECT min(ctid) FROM`;

describe('a check', () => {
  it('succeeds on tables built by the tail, even if they are behind the log', async () => {
    await setup.generateJobs(600);
    const tail = await setup.startTail();
    await setup.waitUntilCaughtUp();
    await tail.close();
    const before = await checkReadModels(setup.pool);
    expect(before).toMatchObject({ passed: true });
    await setup.generateJobs(200, 2);
    // No tail is running: the tables are compared with the log up to their checkpoint.
    expect(await checkReadModels(setup.pool)).toMatchObject({ passed: true, events: before.events });
  });

  it('reports rows that differ from the log, and a rebuild corrects them', async () => {
    await setup.generateJobs(400);
    await setup.startTail();
    await setup.waitUntilCaughtUp();
    const corruptions = [
      ['costs', (table: string) => `UPDATE ${table} SET steps = steps + 1 WHERE ${FIRST} ${table})`],
      ['jobs', (table: string) => `UPDATE ${table} SET agent = upper(agent) WHERE ${FIRST} ${table})`],
      ['jobs', (table: string) => `UPDATE ${table} SET updated_at = updated_at + '1 us' WHERE ${FIRST} ${table})`],
      ['plans', (table: string) => `UPDATE ${table} SET schedule_hash = NULL WHERE ${FIRST} ${table})`],
      [
        'scheduled_tasks',
        (table: string) => `UPDATE ${table} SET title = upper(title) || '!' WHERE ${FIRST} ${table})`,
      ],
      ['preference_questions', (table: string) => `UPDATE ${table} SET value = 'coach' WHERE ${FIRST} ${table})`],
      ['stage_assessments', (table: string) => `UPDATE ${table} SET outcome = 'invalid' WHERE ${FIRST} ${table})`],
      ['pattern_decisions', (table: string) => `DELETE FROM ${table} WHERE ${FIRST} ${table})`],
      ['tool_calls', (table: string) => `DELETE FROM ${table} WHERE ${FIRST} ${table})`],
      [
        'queue_depth',
        (table: string) =>
          `INSERT INTO ${table} SELECT job_id, 'tools', '2001-01-01', 1, 1 FROM phaseline.jobs LIMIT 1`,
      ],
      [
        'queue_depth',
        (table: string) => `INSERT INTO ${table} VALUES (gen_random_uuid(), 'tools', '2001-01-01', 1, 1)`,
      ],
    ] as const;
    for (const [name, corrupt] of corruptions) {
      const { rows } = await setup.pool.query<{ version: number }>(
        `SELECT version FROM phaseline.read_models WHERE name = $1 AND state = 'active'`,
        [name],
      );
      await setup.owner.query(corrupt(`phaseline.${name}_v${rows[0]!.version}`));
      const report = await checkReadModels(setup.pool);
      expect(report.passed).toBe(false);
      const counts = report.projections.map((model) => [model.name, model.differenceCount]);
      expect(counts).toEqual(report.projections.map((model) => [model.name, model.name === name ? 1 : 0]));
      const [difference] = report.projections.find((model) => model.name === name)!.differences;
      expect(difference!.key).toHaveProperty('job_id');
      expect(difference!.stored).not.toEqual(difference!.folded);
      expect((await checkReadModels(setup.pool, { names: ['phases'] })).passed).toBe(true);
      await rebuildReadModels(setup.pool, { names: [name] });
    }
    expect((await checkReadModels(setup.pool)).passed).toBe(true);
  });
});

describe('the status', () => {
  it('shows how far the read models are behind, and when they are up to date', async () => {
    await setup.generateJobs(600);
    const behind = await readProjectionLag(setup.pool);
    expect(behind.lagEvents).toBeGreaterThan(300);
    expect(behind.lagSeconds).toBeGreaterThan(0);
    await setup.startTail();
    await setup.waitUntilCaughtUp();
    expect(await readProjectionLag(setup.pool)).toEqual({ lagEvents: 0, lagSeconds: 0 });
    const statuses = await readProjectionStatus(setup.pool);
    expect(statuses.map(({ name, version, state }) => [name, version, state])).toContainEqual(['jobs', 1, 'active']);
    const { rows } = await setup.pool.query<{ jobs: string }>('SELECT count(*) AS jobs FROM phaseline.jobs');
    expect(statuses.find(({ name }) => name === 'jobs')).toMatchObject({ rows: Number(rows[0]!.jobs), lagEvents: 0 });
    expect(statuses[0]!.position).toBeGreaterThan(0);
  });
});
