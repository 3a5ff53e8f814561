import type { JobId } from '@phaseline/contracts';
import { isFromNewerRelease } from '@phaseline/domain';
import type { EventStore, RecordedEvent } from '@phaseline/event-store';
import { isCancellation, reasonOf } from '../behind/behind-jobs.js';
import { toViewChange, viewTypes } from '../log/view-events.js';
import type { Queryable } from '../tables/queryable.js';
import { evolveJobView } from './evolve-job-view.js';
import { JOB_COLUMNS, rowToView, type JobRow } from './job-rows.js';
import type { JobView, JobViewStatus } from './job-view.js';

export interface JobFilter {
  /** Jobs with any of these statuses. */
  readonly statuses?: readonly string[];
  readonly agent?: string;
  /** Jobs that have the label, with this value if one is given. */
  readonly label?: { readonly key: string; readonly value?: string };
  /** Only jobs of these tenants. */
  readonly tenants?: readonly string[];
  /** Only jobs submitted before this position; pass `next` of the previous page. */
  readonly before?: number;
  readonly limit: number;
}

export interface JobListPage {
  /** Newest first. */
  readonly jobs: readonly JobView[];
  /** Value of `before` for the next page; absent on the last page. */
  readonly next?: number;
}

/** Reads jobs from their read model. */
export class JobViews {
  constructor(
    private readonly pool: Queryable,
    private readonly store: Pick<EventStore, 'readCorrelation'>,
  ) {}

  /**
   * Returns the current state of a job; undefined when there is none. The row may be behind or not exist yet, so the
   * events after it are read from the log: after a request was recorded, its caller finds its effect here.
   */
  async get(jobId: JobId): Promise<JobView | undefined> {
    const { rows } = await this.pool.query<ListedRow>(
      `SELECT ${LISTED_COLUMNS} FROM phaseline.jobs WHERE job_id = $1`,
      [jobId],
    );
    const row = rows[0] && listedView(rows[0]);
    const later = await this.store.readCorrelation(jobId, { after: row?.position ?? 0, types: viewTypes });
    return foldReadable(later, row);
  }

  /** Returns a page of jobs. It may be a few milliseconds behind the log. */
  async list(filter: JobFilter): Promise<JobListPage> {
    const { statuses, agent, label, before, limit, tenants } = filter;
    const values: unknown[] = [];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    const conditions = [
      before === undefined ? undefined : `submitted_position < ${parameter(before)}`,
      statuses === undefined ? undefined : `status = ANY (${parameter([...statuses])}::text[])`,
      tenants === undefined ? undefined : `tenant = ANY (${parameter([...tenants])}::text[])`,
      agent === undefined ? undefined : `agent = ${parameter(agent)}`,
      label === undefined ? undefined : labelCondition(label, parameter),
    ].filter((condition) => condition !== undefined);
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    // One more row than requested shows whether there is a next page.
    const { rows } = await this.pool.query<ListedRow>(
      `SELECT ${LISTED_COLUMNS} FROM phaseline.jobs ${where} ORDER BY submitted_position DESC LIMIT ${parameter(limit + 1)}`,
      values,
    );
    const jobs = rows.slice(0, limit).map(listedView);
    const last = jobs.at(-1);
    return { jobs, ...(rows.length > limit && last ? { next: last.submittedPosition } : {}) };
  }

  /** Returns the number of jobs with each of these statuses. */
  async count(statuses: readonly JobViewStatus[]): Promise<ReadonlyMap<JobViewStatus, number>> {
    const { rows } = await this.pool.query<{ status: JobViewStatus; jobs: string }>(
      'SELECT status, count(*) AS jobs FROM phaseline.jobs WHERE status = ANY ($1::text[]) GROUP BY status',
      [statuses],
    );
    const counted = new Map(rows.map(({ status, jobs }) => [status, Number(jobs)]));
    return new Map(statuses.map((status) => [status, counted.get(status) ?? 0]));
  }
}

/**
 * Columns of a listed job, including why it cannot be read: from the record of jobs that are behind, or from the
 * quarantine.
 */
const LISTED_COLUMNS = `${JOB_COLUMNS}, coalesce(
    (SELECT b.reason FROM phaseline.read_models_behind AS b WHERE b.job_id = jobs.job_id),
    (SELECT q.reason FROM phaseline.quarantine AS q WHERE q.correlation_id = jobs.job_id::text
       AND q.fingerprint LIKE 'UndecodableEvent:%' ORDER BY q.first_at LIMIT 1)) AS unreadable`;

interface ListedRow extends JobRow {
  readonly unreadable: string | null;
}

function listedView(row: ListedRow): JobView {
  const view = rowToView(row);
  return row.unreadable === null ? view : { ...view, unreadable: row.unreadable };
}

/**
 * Applies the events after a row as far as they can be read. Throws UndecodableEvent when an event is of a newer
 * release, or when no event can be read.
 */
function foldReadable(events: readonly RecordedEvent[], from: JobView | undefined): JobView | undefined {
  let view = from;
  let unreadable: unknown;
  for (const event of events) {
    try {
      const change = toViewChange(event);
      if (change && (!isUnreadable(view, unreadable) || isCancellation(change))) view = evolveJobView(view, change);
    } catch (error) {
      if (isFromNewerRelease(error)) throw error;
      unreadable ??= error;
    }
  }
  if (unreadable === undefined) return view;
  if (!view) throw unreadable;
  return { ...view, unreadable: view.unreadable ?? reasonOf(unreadable) };
}

function isUnreadable(view: JobView | undefined, error: unknown): boolean {
  return error !== undefined || view?.unreadable !== undefined;
}

function labelCondition(
  { key, value }: NonNullable<JobFilter['label']>,
  parameter: (value: unknown) => string,
): string {
  if (value === undefined) return `labels ? ${parameter(key)}`;
  return `labels @> ${parameter(JSON.stringify({ [key]: value }))}::jsonb`;
}
