import type { JobId } from '@phaseline/contracts';
import { isFromNewerRelease } from '@phaseline/domain';
import type { EventStore, RecordedEvent, Queryable } from '@phaseline/event-store';
import { isCancellation, reasonOf } from '../behind/behind-jobs.js';
import { toViewChange, viewTypes } from '../log/view-events.js';
import { evolveJobView } from './evolve-job-view.js';
import { countFacets, type JobFacets } from './job-facets.js';
import type { JobConditions, JobFilter, JobPlace, JobSort } from './job-filter.js';
import { buildCountQuery, buildListQuery } from './job-list-query.js';
import { JOB_COLUMNS, rowToView, type JobRow } from './job-rows.js';
import type { JobView, JobViewStatus } from './job-view.js';

export interface JobListPage {
  /** In the order requested. May be fewer than requested even if there is a next page. */
  readonly jobs: readonly JobView[];
  /** Value of `after` for the next page; absent on the last page. */
  readonly next?: JobPlace;
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
    const { limit, sort = 'newest' } = filter;
    const { text, values } = buildListQuery(filter, LISTED_COLUMNS);
    const { rows } = await this.pool.query<FoundRow>(text, [...values]);
    const found = rows.filter(({ is_found }) => is_found).map(listedView);
    const jobs = found.slice(0, limit);
    const edge = rows.find(({ is_edge }) => is_edge);
    const last = found.length > limit ? jobs.at(-1) : edge && listedView(edge);
    return { jobs, ...(last ? { next: placeOf(last, sort) } : {}) };
  }

  /** Returns how many jobs match, from a position on. Reads at most 100,000 jobs; a greater number is not counted exactly. */
  async countMatching(conditions: JobConditions, afterPosition?: number): Promise<number> {
    const { text, values } = buildCountQuery(conditions, afterPosition);
    const { rows } = await this.pool.query<{ jobs: string }>(text, [...values]);
    return Number(rows[0]?.jobs ?? 0);
  }

  /** Counts the jobs of these tenants by their values. */
  countFacets(tenants: 'all' | readonly string[]): Promise<JobFacets> {
    return countFacets(this.pool, tenants);
  }

  /** Returns the names of the tenants that have jobs, sorted; at most 1,000. It reads one entry of an index per tenant. */
  async listTenants(): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ tenant: string }>(
      `WITH RECURSIVE names AS (
         (SELECT tenant FROM phaseline.jobs ORDER BY tenant LIMIT 1)
         UNION ALL
         SELECT (SELECT j.tenant FROM phaseline.jobs AS j WHERE j.tenant > names.tenant ORDER BY j.tenant LIMIT 1)
         FROM names WHERE names.tenant IS NOT NULL
       )
       SELECT tenant FROM names WHERE tenant IS NOT NULL LIMIT 1000`,
    );
    return rows.map(({ tenant }) => tenant);
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

interface FoundRow extends ListedRow {
  readonly is_found: boolean;
  /** Set for the last job that was read, if the page is not full and there may be more. */
  readonly is_edge: boolean;
}

function placeOf({ submittedPosition: position, costMicroUsd, wait }: JobView, sort: JobSort): JobPlace {
  if (sort === 'cost') return { position, value: costMicroUsd };
  return sort === 'waiting' && wait ? { position, value: wait.since } : { position };
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
