import type { EventStore } from '@phaseline/event-store';
import { viewTypes } from '../log/view-events.js';
import type { Queryable } from '../tables/queryable.js';
import { foldJobView } from './evolve-job-view.js';
import { JOB_COLUMNS, viewOfRow, type JobRow } from './job-rows.js';
import type { JobView, JobViewStatus } from './job-view.js';

export interface JobFilter {
  /** Alternatives. */
  readonly statuses?: readonly string[];
  readonly agent?: string;
  /** Jobs that have the label, with this value where one is given. */
  readonly label?: { readonly key: string; readonly value?: string };
  /** Only jobs submitted before this position: `next` of the page before. */
  readonly before?: number;
  readonly limit: number;
}

export interface JobListPage {
  /** Newest first. */
  readonly jobs: readonly JobView[];
  /** Missing on the last page. */
  readonly next?: number;
}

/** Reads the table `jobs`. */
export class JobViews {
  constructor(
    private readonly pool: Queryable,
    private readonly store: Pick<EventStore, 'readCorrelation'>,
  ) {}

  /**
   * A job as the log has it now; undefined when there is none. The row may be behind, or not there yet, so what came after it
   * is read from the log: whoever was told that something is recorded finds it here.
   */
  async get(jobId: string): Promise<JobView | undefined> {
    const { rows } = await this.pool.query<JobRow>(`SELECT ${JOB_COLUMNS} FROM phaseline.jobs WHERE job_id = $1`, [
      jobId,
    ]);
    const row = rows[0] && viewOfRow(rows[0]);
    const later = await this.store.readCorrelation(jobId, { after: row?.position ?? 0, types: viewTypes });
    return foldJobView(later, row);
  }

  /** A page of jobs. It may be some milliseconds behind the log. */
  async list(filter: JobFilter): Promise<JobListPage> {
    const { statuses, agent, label, before, limit } = filter;
    const values: unknown[] = [];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    const conditions = [
      before === undefined ? undefined : `submitted_position < ${parameter(before)}`,
      statuses === undefined ? undefined : `status = ANY (${parameter([...statuses])}::text[])`,
      agent === undefined ? undefined : `agent = ${parameter(agent)}`,
      label === undefined ? undefined : labelCondition(label, parameter),
    ].filter((condition) => condition !== undefined);
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    // One more than asked for tells whether there is a next page.
    const { rows } = await this.pool.query<JobRow>(
      `SELECT ${JOB_COLUMNS} FROM phaseline.jobs ${where} ORDER BY submitted_position DESC LIMIT ${parameter(limit + 1)}`,
      values,
    );
    const jobs = rows.slice(0, limit).map(viewOfRow);
    const last = jobs.at(-1);
    return { jobs, ...(rows.length > limit && last ? { next: last.submittedPosition } : {}) };
  }

  /** How many jobs have each of these statuses. */
  async count(statuses: readonly JobViewStatus[]): Promise<ReadonlyMap<JobViewStatus, number>> {
    const { rows } = await this.pool.query<{ status: JobViewStatus; jobs: string }>(
      'SELECT status, count(*) AS jobs FROM phaseline.jobs WHERE status = ANY ($1::text[]) GROUP BY status',
      [statuses],
    );
    const counted = new Map(rows.map(({ status, jobs }) => [status, Number(jobs)]));
    return new Map(statuses.map((status) => [status, counted.get(status) ?? 0]));
  }
}

function labelCondition(
  { key, value }: NonNullable<JobFilter['label']>,
  parameter: (value: unknown) => string,
): string {
  if (value === undefined) return `labels ? ${parameter(key)}`;
  return `labels @> ${parameter(JSON.stringify({ [key]: value }))}::jsonb`;
}
