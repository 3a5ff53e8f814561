import { isFromNewerRelease, knownEvents } from '@phaseline/domain';
import { viewChange, type ReadEvent, type ViewChange } from '../log/view-events.js';
import type { Queryable } from '../tables/queryable.js';

/** A job whose rows stand still before an event that whoever kept them did not understand. */
export interface BehindJob {
  readonly jobId: string;
  /** Of the first event that was not understood. */
  readonly position: number;
  readonly type: string;
  readonly schemaVersion: number;
}

export interface Understood {
  readonly changes: readonly ViewChange[];
  readonly behind: readonly BehindJob[];
}

/**
 * Reads events, which come in the order of the log: those of a job up to the first that is of a newer release. What cannot be
 * read for another reason is an error. Throws UndecodableEvent.
 */
export function understandEvents<Event extends ReadEvent>(
  events: Iterable<Event>,
  read: (event: Event) => ViewChange | undefined = viewChange,
): Understood {
  const changes: ViewChange[] = [];
  const behind = new Map<string, BehindJob>();
  for (const event of events) {
    if (behind.has(event.correlationId)) continue;
    try {
      const change = read(event);
      if (change) changes.push(change);
    } catch (error) {
      if (!isFromNewerRelease(error)) throw error;
      const { correlationId: jobId, position, type, schemaVersion } = event;
      behind.set(jobId, { jobId, position, type, schemaVersion });
    }
  }
  return { changes, behind: [...behind.values()] };
}

/** Whether this release understands what the one before it did not. */
export function understands({ type, schemaVersion }: Pick<BehindJob, 'type' | 'schemaVersion'>): boolean {
  return (knownEvents()[type] ?? 0) >= schemaVersion;
}

/** Those of some jobs, or all, that stand still, by their ids. */
export async function behindJobs(database: Queryable, jobIds?: readonly string[]): Promise<Map<string, BehindJob>> {
  const { rows } = await database.query<{ job_id: string; position: string; type: string; schema_version: number }>(
    `SELECT job_id, position, type, schema_version FROM phaseline.read_models_behind
     WHERE $1::uuid[] IS NULL OR job_id = ANY ($1::uuid[]) ORDER BY noted_at, job_id`,
    [jobIds ?? null],
  );
  return new Map(
    rows.map((row) => [
      row.job_id,
      { jobId: row.job_id, position: Number(row.position), type: row.type, schemaVersion: row.schema_version },
    ]),
  );
}

/** Notes in the transaction that writes the rows where jobs stand still. The earliest place counts. */
export async function noteBehind(transaction: Queryable, jobs: readonly BehindJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await transaction.query(
    `INSERT INTO phaseline.read_models_behind AS b (job_id, position, type, schema_version)
     SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::integer[])
     ON CONFLICT (job_id) DO UPDATE
     SET position = excluded.position, type = excluded.type, schema_version = excluded.schema_version
     WHERE excluded.position < b.position`,
    [
      jobs.map(({ jobId }) => jobId),
      jobs.map(({ position }) => position),
      jobs.map(({ type }) => type),
      jobs.map(({ schemaVersion }) => schemaVersion),
    ],
  );
}

/** Takes the notes of these jobs away, in the transaction that folds them anew. */
export async function forgetBehind(transaction: Queryable, jobIds: readonly string[]): Promise<void> {
  if (jobIds.length === 0) return;
  await transaction.query('DELETE FROM phaseline.read_models_behind WHERE job_id = ANY ($1::uuid[])', [jobIds]);
}
