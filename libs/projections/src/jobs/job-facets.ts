import type { Queryable } from '@phaseline/event-store';
import type { JobViewStatus, JobWait } from './job-view.js';

/** How many jobs have a value. */
interface FacetCount<Value extends string = string> {
  readonly value: Value;
  readonly jobs: number;
}

/** Numbers of jobs by their values, most frequent first. */
export interface JobFacets {
  readonly statuses: readonly FacetCount<JobViewStatus>[];
  readonly agents: readonly FacetCount[];
  readonly tenants: readonly FacetCount[];
  readonly waitsFor: readonly FacetCount<JobWait['kind']>[];
}

/**
 * Counts the jobs of some tenants. Status, agent and tenant come from one index alone; the kinds of waits from the jobs
 * that wait.
 */
export async function countFacets(database: Queryable, tenants: 'all' | readonly string[]): Promise<JobFacets> {
  const only = [tenants === 'all' ? null : [...tenants]];
  const { rows } = await database.query<{ status: JobViewStatus; agent: string; tenant: string; jobs: string }>(
    `SELECT tenant, status, agent, count(*) AS jobs FROM phaseline.jobs
     WHERE $1::text[] IS NULL OR tenant = ANY ($1) GROUP BY tenant, status, agent`,
    only,
  );
  const waits = await database.query<{ waits_for: JobWait['kind']; jobs: string }>(
    `SELECT waits_for, count(*) AS jobs FROM phaseline.jobs
     WHERE waits_for IS NOT NULL AND ($1::text[] IS NULL OR tenant = ANY ($1)) GROUP BY waits_for`,
    only,
  );
  return {
    statuses: sumBy(rows, ({ status }) => status),
    agents: sumBy(rows, ({ agent }) => agent),
    tenants: sumBy(rows, ({ tenant }) => tenant),
    waitsFor: sumBy(waits.rows, ({ waits_for }) => waits_for),
  };
}

function sumBy<Row extends { readonly jobs: string }, Value extends string>(
  rows: readonly Row[],
  valueOf: (row: Row) => Value,
): readonly FacetCount<Value>[] {
  const sums = new Map<Value, number>();
  for (const row of rows) sums.set(valueOf(row), (sums.get(valueOf(row)) ?? 0) + Number(row.jobs));
  return [...sums]
    .map(([value, jobs]) => ({ value, jobs }))
    .sort((a, b) => b.jobs - a.jobs || (a.value < b.value ? -1 : 1));
}
