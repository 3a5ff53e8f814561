import { knownEvents, UndecodableEvent } from '@phaseline/domain';
import { isUnreachable, sqlState } from '@phaseline/event-store';
import { viewChange, type ReadEvent, type ViewChange } from '../log/view-events.js';
import type { Queryable } from '../tables/queryable.js';
import { ReadModelsAhead, ReadModelsBehind } from '../tables/table-errors.js';

/** A job whose rows stand still before an event that whoever kept them could not take in. */
export interface BehindJob {
  readonly jobId: string;
  /** Of the first event that was not taken in. */
  readonly position: number;
  readonly type: string;
  readonly schemaVersion: number;
  /** Why it cannot be read, or its rows cannot be written. Absent where the event is only of a newer release. */
  readonly reason?: string;
}

export interface Understood {
  readonly changes: readonly ViewChange[];
  readonly behind: readonly BehindJob[];
}

/** Begins the reason where the event can be read, and what follows from it cannot be written. */
const NOT_FOLDED = 'its rows cannot be written: ';

/** Keeps a table of reasons readable. */
const REASON_LENGTH = 1_000;

/** The end of a job that cannot be read can be recorded all the same, and its rows show it. */
const cancellations: ReadonlySet<string> = new Set(['JobCancelled', 'PhaseCancelled']);

/** Whether the rows of a job that stands still before `behind` take in a change. */
export function isTakenIn(change: ViewChange, behind: BehindJob | undefined): boolean {
  if (!behind || change.position < behind.position) return true;
  return behind.reason !== undefined && isCancellation(change);
}

export function isCancellation({ event }: ViewChange): boolean {
  return cancellations.has(event.type);
}

/** A job that stands still before an event, with the reason where the event is not of a newer release. */
export function behindAt(
  event: Pick<ReadEvent, 'correlationId' | 'position' | 'type' | 'schemaVersion'>,
  error: unknown,
): BehindJob {
  const { correlationId: jobId, position, type, schemaVersion } = event;
  const at = { jobId, position, type, schemaVersion };
  if (error instanceof UndecodableEvent && error.newer && schemaVersion > (knownEvents()[type] ?? 0)) return at;
  return { ...at, reason: reasonOf(error) };
}

/** A job whose event can be read and cannot be folded, or gives rows that the table refuses. */
export function notFoldedAt({ jobId, position, event }: ViewChange, error: unknown): BehindJob {
  return { jobId, position, type: event.type, schemaVersion: 1, reason: `${NOT_FOLDED}${reasonOf(error)}` };
}

/** Whether an error is about what was to be written, and not about the database or the state of its tables. */
export function isOfContent(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (error instanceof ReadModelsBehind || error instanceof ReadModelsAhead || isUnreachable(error)) return false;
  const state = sqlState(error);
  // Data exceptions and violated constraints; a folding error has no state at all.
  return state === undefined ? !('code' in error) : state.startsWith('22') || state.startsWith('23');
}

export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, REASON_LENGTH);
}

/**
 * Reads events, which come in the order of the log: those of a job up to the first that cannot be read, or that is of a newer
 * release. Other jobs are not affected.
 */
export function understandEvents<Event extends ReadEvent>(
  events: Iterable<Event>,
  read: (event: Event) => ViewChange | undefined = viewChange,
): Understood {
  const changes: ViewChange[] = [];
  const behind = new Map<string, BehindJob>();
  for (const event of events) {
    const before = behind.get(event.correlationId);
    try {
      const change = read(event);
      if (change && isTakenIn(change, before)) changes.push(change);
    } catch (error) {
      if (!before) behind.set(event.correlationId, behindAt(event, error));
    }
  }
  return { changes, behind: [...behind.values()] };
}

/** Whether this release understands what the one before it did not. Not asked of events that nobody could read. */
export function understands({
  type,
  schemaVersion,
  reason,
}: Pick<BehindJob, 'type' | 'schemaVersion' | 'reason'>): boolean {
  return reason === undefined && (knownEvents()[type] ?? 0) >= schemaVersion;
}

/** Of jobs with an event that could not be read, those whose event this release can read. */
export async function readableAgain(database: Queryable, jobs: Iterable<BehindJob>): Promise<BehindJob[]> {
  const readable: BehindJob[] = [];
  for (const job of jobs) {
    if (job.reason === undefined || job.reason.startsWith(NOT_FOLDED)) continue;
    const { rows } = await database.query<{ stream_id: string; schema_version: number; data: ReadEvent['data'] }>(
      'SELECT stream_id, schema_version, data FROM phaseline.events WHERE correlation_id = $1 AND position = $2',
      [job.jobId, job.position],
    );
    const [row] = rows;
    if (!row) continue;
    const { understood } = tryRead({
      streamId: row.stream_id,
      correlationId: job.jobId,
      version: 0,
      type: job.type,
      schemaVersion: row.schema_version,
      data: row.data,
      position: job.position,
      recordedAt: '',
    });
    if (understood) readable.push(job);
  }
  return readable;
}

function tryRead(event: ReadEvent): { readonly understood: boolean } {
  return { understood: understandEvents([event]).behind.length === 0 };
}

/** Those of some jobs, or all, that stand still, by their ids. */
export async function behindJobs(database: Queryable, jobIds?: readonly string[]): Promise<Map<string, BehindJob>> {
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
  readonly job_id: string;
  readonly position: string;
  readonly type: string;
  readonly schema_version: number;
  readonly reason: string | null;
}

/** Notes in the transaction that writes the rows where jobs stand still. The earliest place counts. */
export async function noteBehind(transaction: Queryable, jobs: readonly BehindJob[]): Promise<void> {
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

/** Takes the notes of these jobs away, in the transaction that folds them anew. */
export async function forgetBehind(transaction: Queryable, jobIds: readonly string[]): Promise<void> {
  if (jobIds.length === 0) return;
  await transaction.query('DELETE FROM phaseline.read_models_behind WHERE job_id = ANY ($1::uuid[])', [jobIds]);
}
