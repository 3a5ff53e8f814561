import { costClassOf, listIndexedConditions, listUnindexedConditions, type AddParameter } from './job-conditions.js';
import type { JobConditions, JobFilter, JobPlace, JobSort } from './job-filter.js';

interface SqlQuery {
  readonly text: string;
  readonly values: readonly unknown[];
}

const MAX_READ = 10_000;
/** How many jobs a count reads at most when a condition has no index. */
const MAX_COUNTED = 100_000;

/** Columns of each order. All end with the position, so that the order is total. */
const orders: Readonly<Record<JobSort, string>> = {
  newest: 'submitted_position DESC',
  oldest: 'submitted_position',
  cost: 'cost_class DESC, cost_micro_usd DESC, submitted_position DESC',
  waiting: 'waiting_since, submitted_position',
};

/**
 * Builds the query of a page: one job more than the page, which shows whether there is a next one. Every order and most
 * conditions have an index. The others are checked on at most `maxRead` jobs; if these end before the page is full, the
 * last of them is returned with `is_edge`, and the next page continues after it.
 *
 * `columns` are SQL, with `jobs` as the name of the table. Each row also has `is_found`.
 */
export function buildListQuery(filter: JobFilter, columns: string): SqlQuery {
  const { sort = 'newest', limit, maxRead = MAX_READ } = filter;
  const { values, parameter } = startQuery();
  const after = filter.after && placeCondition(sort, filter.after, parameter);
  const where = toWhere([
    ...listIndexedConditions(filter, parameter),
    ...(sort === 'waiting' ? ['waits_for IS NOT NULL'] : []),
    ...(after === undefined ? [] : [after]),
  ]);
  const unindexed = listUnindexedConditions(filter, parameter);
  const order = `ORDER BY ${orders[sort]}`;
  const more = parameter(limit + 1);
  if (unindexed.length === 0) {
    const text = `SELECT ${columns}, true AS is_found, false AS is_edge FROM phaseline.jobs ${where} ${order} LIMIT ${more}`;
    return { text, values };
  }
  const read = parameter(maxRead);
  const text = `
    WITH found AS MATERIALIZED (
      SELECT job_id FROM (SELECT * FROM phaseline.jobs ${where} ${order} LIMIT ${read}) AS candidates
      WHERE ${unindexed.join(' AND ')} ${order} LIMIT ${more}
    ), edge AS MATERIALIZED (
      SELECT job_id FROM phaseline.jobs ${where ? `${where} AND` : 'WHERE'} (SELECT count(*) FROM found) < ${more}
      ${order} OFFSET ${read}::bigint - 1 LIMIT 1
    )
    SELECT ${columns}, job_id IN (SELECT job_id FROM found) AS is_found, job_id IN (SELECT job_id FROM edge) AS is_edge
    FROM phaseline.jobs WHERE job_id IN (SELECT job_id FROM found UNION SELECT job_id FROM edge) ${order}`;
  return { text, values };
}

/** Builds the query that counts the jobs after a place of the order `oldest`; a lower bound if it would read too many. */
export function buildCountQuery(conditions: JobConditions, after: number | undefined): SqlQuery {
  const { values, parameter } = startQuery();
  const where = toWhere([
    ...listIndexedConditions(conditions, parameter),
    ...(after === undefined ? [] : [`submitted_position > ${parameter(after)}`]),
  ]);
  const checked = toWhere(listUnindexedConditions(conditions, parameter));
  const text = `SELECT count(*) AS jobs FROM (SELECT * FROM phaseline.jobs ${where} ORDER BY submitted_position LIMIT ${MAX_COUNTED}) AS c ${checked}`;
  return { text, values };
}

function placeCondition(sort: JobSort, { position, value }: JobPlace, parameter: AddParameter): string {
  const at = parameter(position);
  switch (sort) {
    case 'newest':
      return `submitted_position < ${at}`;
    case 'oldest':
      return `submitted_position > ${at}`;
    case 'cost': {
      const cost = parameter(value);
      return `(cost_class, cost_micro_usd, submitted_position) < (${costClassOf(cost)}, ${cost}::bigint, ${at}::bigint)`;
    }
    case 'waiting':
      return `(waiting_since, submitted_position) > (${parameter(value)}::timestamptz, ${at}::bigint)`;
  }
}

function startQuery(): { readonly values: readonly unknown[]; readonly parameter: AddParameter } {
  const values: unknown[] = [];
  return { values, parameter: (value) => `$${values.push(value)}` };
}

function toWhere(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}
