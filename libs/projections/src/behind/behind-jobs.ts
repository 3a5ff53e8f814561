import type { JobId, StreamId } from '@phaseline/contracts';
import { listEventVersions, UndecodableEvent } from '@phaseline/domain';
import { isUnreachable, sqlState, type Queryable } from '@phaseline/event-store';
import { toViewChange, type ReadEvent, type ViewChange } from '../log/view-events.js';
import { ReadModelsAhead, ReadModelsBehind } from '../tables/table-errors.js';

/**
 * A job whose rows were not updated beyond a certain event, because the process that maintained them could not apply
 * it.
 */
export interface BehindJob {
  readonly jobId: JobId;
  /** Position of the first event that was not applied. */
  readonly position: number;
  readonly type: string;
  readonly schemaVersion: number;
  /** Why the event cannot be read or its rows cannot be written. Absent when the event is only of a newer release. */
  readonly reason?: string;
}

export interface DecodedEvents {
  readonly changes: readonly ViewChange[];
  readonly behind: readonly BehindJob[];
}

/** Prefix of the reason when the event can be read but the resulting rows cannot be written. */
const NOT_FOLDED = 'its rows cannot be written: ';

/** Maximum length of a reason in characters, to keep tables of reasons readable. */
const MAX_REASON_CHARACTERS = 1_000;

/** Events that are applied even to a job that cannot be read, so that its rows show that it has ended. */
const CANCELLATION_EVENTS: ReadonlySet<string> = new Set(['JobCancelled', 'PhaseCancelled']);

/** Returns whether a change is applied to the rows of a job that is behind at `behind`. */
export function shouldApply(change: ViewChange, behind: BehindJob | undefined): boolean {
  if (!behind || change.position < behind.position) return true;
  return behind.reason !== undefined && isCancellation(change);
}

export function isCancellation({ event }: ViewChange): boolean {
  return CANCELLATION_EVENTS.has(event.type);
}

/** Describes a job that is behind from an event on, with the reason unless the event is of a newer release. */
function describeUndecodable(
  event: Pick<ReadEvent, 'correlationId' | 'position' | 'type' | 'schemaVersion'>,
  error: unknown,
): BehindJob {
  const { correlationId: jobId, position, type, schemaVersion } = event;
  const job = { jobId, position, type, schemaVersion };
  if (error instanceof UndecodableEvent && error.isNewer && schemaVersion > (listEventVersions()[type] ?? 0))
    return job;
  return { ...job, reason: reasonOf(error) };
}

/** Describes a job with a readable event that cannot be folded, or gives rows that the table refuses. */
export function describeUnfoldable({ jobId, position, event }: ViewChange, error: unknown): BehindJob {
  return { jobId, position, type: event.type, schemaVersion: 1, reason: `${NOT_FOLDED}${reasonOf(error)}` };
}

/**
 * Returns whether the content to be written caused the error, as opposed to the database or the state of its tables.
 */
export function isContentError(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (error instanceof ReadModelsBehind || error instanceof ReadModelsAhead || isUnreachable(error)) return false;
  const state = sqlState(error);
  // Classes 22 (data exception) and 23 (constraint violation). An error of the fold has no SQLSTATE.
  return state === undefined ? !('code' in error) : state.startsWith('22') || state.startsWith('23');
}

export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON_CHARACTERS);
}

/**
 * Decodes events, given in the order of the log: for each job up to the first event that cannot be read or is of a
 * newer release. Other jobs are not affected.
 */
export function decodeEvents<Event extends ReadEvent>(
  events: Iterable<Event>,
  read: (event: Event) => ViewChange | undefined = toViewChange,
): DecodedEvents {
  const changes: ViewChange[] = [];
  const behind = new Map<JobId, BehindJob>();
  for (const event of events) {
    const before = behind.get(event.correlationId);
    try {
      const change = read(event);
      if (change && shouldApply(change, before)) changes.push(change);
    } catch (error) {
      if (!before) behind.set(event.correlationId, describeUndecodable(event, error));
    }
  }
  return { changes, behind: [...behind.values()] };
}

/**
 * Returns whether this release understands an event that an earlier one did not; false for events that no release could
 * read.
 */
function isKnownByNow({ type, schemaVersion, reason }: BehindJob): boolean {
  return reason === undefined && (listEventVersions()[type] ?? 0) >= schemaVersion;
}

/** Returns those jobs with an unreadable event whose event this release can read. */
export async function findReadableAgain(database: Queryable, jobs: Iterable<BehindJob>): Promise<BehindJob[]> {
  const readable: BehindJob[] = [];
  for (const job of jobs) {
    if (job.reason === undefined || job.reason.startsWith(NOT_FOLDED)) continue;
    const { rows } = await database.query<{ stream_id: StreamId; schema_version: number; data: ReadEvent['data'] }>(
      'SELECT stream_id, schema_version, data FROM phaseline.events WHERE correlation_id = $1 AND position = $2',
      [job.jobId, job.position],
    );
    const [row] = rows;
    if (!row) {
      // In cold storage. Folding the job reads it there, and records it again if this release does not understand it.
      readable.push(job);
      continue;
    }
    const event = {
      streamId: row.stream_id,
      correlationId: job.jobId,
      version: 0,
      type: job.type,
      schemaVersion: row.schema_version,
      data: row.data,
      position: job.position,
      recordedAt: '',
    };
    if (decodeEvents([event]).behind.length === 0) readable.push(job);
  }
  return readable;
}

/** Returns the ids of the jobs that are behind because of an event that this release understands. */
export async function findUnderstoodJobs(database: Queryable): Promise<string[]> {
  const noted = [...(await findBehindJobs(database)).values()];
  return [...noted.filter(isKnownByNow), ...(await findReadableAgain(database, noted))].map(({ jobId }) => jobId);
}

/** Returns the jobs that are behind, by id; all, or those among `jobIds`. */
export async function findBehindJobs(database: Queryable, jobIds?: readonly JobId[]): Promise<Map<JobId, BehindJob>> {
  const { rows } = await database.query<BehindRow>(
    `SELECT job_id, position, type, schema_version, reason FROM phaseline.read_models_behind
     WHERE $1::uuid[] IS NULL OR job_id = ANY ($1::uuid[]) ORDER BY noted_at, job_id`,
    [jobIds ?? null],
  );
  return new Map(
    rows.map(({ job_id: jobId, position, type, schema_version: schemaVersion, reason }) => [
      jobId,
      { jobId, position: Number(position), type, schemaVersion, ...(reason === null ? {} : { reason }) },
    ]),
  );
}

interface BehindRow {
  readonly job_id: JobId;
  readonly position: string;
  readonly type: string;
  readonly schema_version: number;
  readonly reason: string | null;
}

/** Records where jobs are behind, in the transaction that writes the rows. The earliest position counts. */
export async function recordBehind(transaction: Queryable, jobs: readonly BehindJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await transaction.query(
    `INSERT INTO phaseline.read_models_behind AS b (job_id, position, type, schema_version, reason)
     SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::integer[], $5::text[])
     ON CONFLICT (job_id) DO UPDATE
     SET position = excluded.position, type = excluded.type, schema_version = excluded.schema_version, reason = excluded.reason
     WHERE excluded.position < b.position`,
    [
      jobs.map(({ jobId }) => jobId),
      jobs.map(({ position }) => position),
      jobs.map(({ type }) => type),
      jobs.map(({ schemaVersion }) => schemaVersion),
      jobs.map(({ reason }) => reason ?? null),
    ],
  );
}

/** Deletes the records of these jobs, in the transaction that folds them again. */
export async function deleteBehind(transaction: Queryable, jobIds: readonly JobId[]): Promise<void> {
  if (jobIds.length === 0) return;
  await transaction.query('DELETE FROM phaseline.read_models_behind WHERE job_id = ANY ($1::uuid[])', [jobIds]);
}
