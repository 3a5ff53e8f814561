import { createPool, EventStore } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnsOf } from '../models/read-model.js';
import type { JobConditions, JobFilter, JobPlace, JobSort } from './job-filter.js';
import { matchesConditions, sortViews } from './job-filters.fixture.js';
import { createRandom, generateConditions, generateJob } from './generate-jobs.fixture.js';
import { buildCountQuery, buildListQuery } from './job-list-query.js';
import { jobsModel, viewToRow } from './job-rows.js';
import type { JobView } from './job-view.js';
import { JobViews } from './job-views.js';

const SEED = 20_300_101;
const JOBS = 1_500;

let database: TestDatabase;
let owner: pg.Pool;
let pool: pg.Pool;
let store: EventStore;
let views: JobViews;
const now = Date.now();
const random = createRandom(SEED);
const jobs = Array.from({ length: JOBS }, (_, index) => generateJob(index, random, now));

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool(database.ownerUrl, { max: 1 });
  pool = createPool(database.serviceUrl, { max: 4 });
  store = new EventStore(pool);
  views = new JobViews(pool, store);
  const columns = columnsOf(jobsModel).join(', ');
  await owner.query(
    `INSERT INTO phaseline.jobs_v1 (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::phaseline.jobs_v1, $1::jsonb)`,
    [JSON.stringify(jobs.map(viewToRow))],
  );
  await owner.query('ANALYZE phaseline.jobs_v1');
});
afterAll(async () => {
  await store.close();
  await pool.end();
  await owner.end();
  await database.drop();
});

/** Reads all pages. Returns the ids, and the number of pages. */
async function readAll(filter: Omit<JobFilter, 'after'>): Promise<{ jobIds: readonly string[]; pages: number }> {
  const jobIds: string[] = [];
  let after: JobPlace | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await views.list({ ...filter, after });
    expect(page.jobs.length).toBeLessThanOrEqual(filter.limit);
    jobIds.push(...page.jobs.map(({ jobId }) => jobId));
    if (!page.next) return { jobIds, pages };
    after = page.next;
  }
}

const expected = (conditions: JobConditions, sort: JobSort): readonly string[] =>
  sortViews(
    jobs.filter((job) => matchesConditions(job, conditions, now) && (sort !== 'waiting' || job.wait)),
    sort,
  ).map(({ jobId }) => jobId);

describe('a list of generated jobs', () => {
  it('equals an independent filter in memory, for any conditions and order', async () => {
    const sorts: readonly JobSort[] = ['newest', 'oldest', 'cost', 'waiting'];
    let found = 0;
    for (let round = 0; round < 120; round += 1) {
      const conditions = generateConditions(random, jobs, now);
      const sort = sorts[round % sorts.length]!;
      const { jobIds } = await readAll({ ...conditions, sort, limit: 200 });
      expect(jobIds, JSON.stringify({ SEED, round, sort, conditions })).toEqual(expected(conditions, sort));
      expect(await views.countMatching(conditions)).toBe(expected(conditions, 'oldest').length);
      found += jobIds.length;
    }
    expect(found).toBeGreaterThan(1_000);
  });

  it.each(['newest', 'oldest', 'cost', 'waiting'] as const)(
    'has complete pages without repeats, sorted by %s',
    async (sort) => {
      const all = expected({}, sort);
      expect(await readAll({ sort, limit: 37 })).toEqual({ jobIds: all, pages: Math.ceil(all.length / 37) });
      expect(new Set(all).size).toBe(all.length);
    },
  );

  it.each(['newest', 'oldest', 'cost', 'waiting'] as const)(
    'continues after what one page has read at most, sorted by %s',
    async (sort) => {
      const conditions: JobConditions = { text: 'needle' };
      const all = expected({}, sort).length;
      const { jobIds, pages } = await readAll({ ...conditions, sort, limit: 200, maxRead: 100 });
      expect(jobIds).toEqual(expected(conditions, sort));
      expect(jobIds.length).toBeGreaterThan(5);
      expect(pages).toBe(Math.floor(all / 100) + 1);
    },
  );

  it('counts the jobs after a place', async () => {
    const half = jobs[JOBS / 2]!.submittedPosition;
    expect(await views.countMatching({}, half)).toBe(JOBS / 2 - 1);
  });

  it('is counted by values, for some tenants', async () => {
    const facets = await views.countFacets(['acme', 'other']);
    const visible = jobs.filter(({ tenant }) => tenant !== 'third');
    const countsOf = (valueOf: (job: JobView) => string | undefined) =>
      Object.fromEntries([...Map.groupBy(visible, valueOf)].map(([value, { length }]) => [String(value), length]));
    const toObject = (counts: readonly { value: string; jobs: number }[]) =>
      Object.fromEntries(counts.map(({ value, jobs: count }) => [value, count]));
    expect(toObject(facets.statuses)).toEqual(countsOf(({ status }) => status));
    expect(toObject(facets.agents)).toEqual(countsOf(({ agent }) => agent));
    expect(toObject(facets.tenants)).toEqual(countsOf(({ tenant }) => tenant));
    const { undefined: none, ...waits } = countsOf(({ wait }) => wait?.kind);
    expect(none).toBeGreaterThan(0);
    expect(toObject(facets.waitsFor)).toEqual(waits);
    expect(facets.agents.map(({ jobs: count }) => count)).toEqual(
      facets.agents.map(({ jobs: count }) => count).sort((a, b) => b - a),
    );
    expect(await views.countFacets([])).toEqual({ statuses: [], agents: [], tenants: [], waitsFor: [] });
  });
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

describe('a query on 100,000 jobs', () => {
  const plans: string[] = [];
  beforeAll(async () => {
    // Most jobs have ended long ago; one in fifty still waits.
    await owner.query(
      `INSERT INTO phaseline.jobs_v1 (job_id, submitted_position, position, tenant, agent, status, labels, created_at, updated_at,
         ended_at, phase_name, open_calls, awaiting_approval, input_tokens, cached_input_tokens, output_tokens, cost_micro_usd,
         steps, waits_for, waiting_since, result)
       SELECT md5('job' || i)::uuid, 1000000 + i * 7, 1000000 + i * 7, (ARRAY['acme', 'other', 'third'])[1 + i % 3], 'agent-' || i % 20,
         CASE WHEN i % 50 = 0 THEN 'waiting-for-approval' WHEN i % 10 = 0 THEN 'failed' ELSE 'completed' END,
         jsonb_build_object('team', 'team-' || i % 500), now() - (100000 - i) * interval '1 minute',
         now() - (100000 - i) * interval '50 seconds', CASE WHEN i % 50 = 0 THEN NULL ELSE now() END, 'Review', '[]', '[]', 0, 0, 0,
         (i::bigint * 7919 % 10000019), 1, CASE WHEN i % 50 = 0 THEN 'approval' END,
         CASE WHEN i % 50 = 0 THEN now() - (100000 - i) * interval '1 minute' END,
         -- Rows of real jobs are about as wide.
         jsonb_build_object('summary', repeat('done ', 120))
       FROM generate_series(1, 100000) AS i`,
    );
    await owner.query('VACUUM ANALYZE phaseline.jobs_v1');
  });

  /** Returns the scans of the table and the number of its rows that were read. */
  async function explain(query: { readonly text: string; readonly values: readonly unknown[] }) {
    const { rows } = await pool.query<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) ${query.text}`,
      [...query.values],
    );
    const scans: string[] = [];
    let read = 0;
    const visit = (node: PlanNode): void => {
      const index = node['Index Name'];
      if (node['Relation Name'] === 'jobs_v1' || index !== undefined) {
        scans.push(`${node['Node Type']} ${index ?? node['Relation Name']}`);
        if (node['Node Type'] !== 'Bitmap Index Scan')
          read += (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
      }
      for (const child of node.Plans ?? []) visit(child);
    };
    visit(rows[0]!['QUERY PLAN'][0].Plan);
    return { scans, read };
  }

  it.each([
    ['newest', {}, 51],
    ['oldest', {}, 51],
    ['cost', {}, 15_000],
    ['waiting', {}, 51],
    ['tenant', { tenants: ['acme'] }, 200],
    ['status', { statuses: ['failed'] }, 2_000],
    ['agent', { agents: ['agent-7'] }, 2_000],
    ['labels', { labels: [{ key: 'team', value: 'team-7' }] }, 300],
    ['created', { createdBefore: new Date(now - 99_900 * 60_000).toISOString() }, 1_000],
    ['expensive', { minCostMicroUsd: 9_999_000 }, 30_000],
    ['waits longer', { waitsFor: ['approval'], waitingSeconds: 99_000 * 60 }, 1_500],
    ['rare text', { text: 'no such text' }, 10_001 * 2],
    ['quiet', { updatedBefore: new Date(0).toISOString() }, 10_001 * 2],
  ] satisfies readonly (readonly [string, JobConditions, number])[])(
    'reads by an index, and a limited number of rows: %s',
    async (name, conditions, most) => {
      const sort = (['oldest', 'cost', 'waiting'] as const).find((order) => order === name) ?? 'newest';
      const plan = await explain(buildListQuery({ ...conditions, sort, limit: 50 }, 'job_id'));
      plans.push(`${name}: ${plan.scans.join(' + ')}; ${plan.read} rows`);
      expect(plan.scans.length).toBeGreaterThan(0);
      expect(plan.scans.join('\n')).not.toContain('Seq Scan');
      expect(plan.read, plan.scans.join(' + ')).toBeLessThanOrEqual(most);
    },
  );

  it('counts facets from one index', async () => {
    const plan = await explain({
      text: `SELECT tenant, status, agent, count(*) FROM phaseline.jobs GROUP BY tenant, status, agent`,
      values: [],
    });
    plans.push(`facets: ${plan.scans.join(' + ')}`);
    expect(plan.scans).toEqual([expect.stringMatching(/Index Only Scan .*tenant_status_agent_idx$/)]);
  });

  it('keeps most changes of the cost out of the indexes', async () => {
    const client = await owner.connect();
    try {
      await client.query('BEGIN');
      const update =
        'UPDATE phaseline.jobs_v1 SET cost_micro_usd = $2, position = position + 1 WHERE submitted_position = $1';
      for (const cost of [1_000_000, 1_010_000, 1_020_000, 5_000_000])
        await client.query(update, [jobs[0]!.submittedPosition, cost]);
      const { rows } = await client.query<{ hot: string }>(
        `SELECT pg_stat_get_xact_tuples_hot_updated('phaseline.jobs_v1'::regclass) AS hot`,
      );
      // The first and the last change the class.
      expect(Number(rows[0]!.hot)).toBe(2);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('counts at most 100,000 jobs', async () => {
    const { text, values } = buildCountQuery({ text: 'no such text' }, undefined);
    const plan = await explain({ text, values });
    expect(plan.read).toBe(100_000);
  });

  afterAll(() => process.env['PHASELINE_SHOW_PLANS'] && process.stdout.write(`${plans.join('\n')}\n`));
});
