import { getActorName, type Actor, type JobId } from '@phaseline/contracts';
import { hasJobEnded } from '@phaseline/domain';
import {
  makeArchive,
  queryRows,
  runInTransaction,
  sqlState,
  verifyStoredArchive,
  WrongExpectedVersion,
  type ArchiveStore,
  type EventStore,
} from '@phaseline/event-store';
import { faultPoint } from '@phaseline/fault-points';
import { buildJobAppend, JobRepository } from '@phaseline/repository';
import type pg from 'pg';

/** What the mover did with an ended job, or why it moved nothing. */
export type MoveOutcome =
  | { readonly kind: 'moved'; readonly events: number; readonly bytes: number }
  | { readonly kind: 'kept'; readonly reason: MoveKeptReason };

/**
 * - `running`: the job has not ended, or runs again.
 * - `held`: a legal hold is on the job.
 * - `erased`: the content of the job was erased, so nothing is worth an archive.
 * - `empty`: no phase has ended since the last move.
 * - `not-anchored`: no anchor covers all of the events yet.
 * - `not-read`: transactions that were open during the run hold back the references of the events; the next run tries again.
 * - `changing`: the job changed repeatedly during the move; the next run tries again.
 */
export type MoveKeptReason = 'running' | 'held' | 'erased' | 'empty' | 'not-anchored' | 'not-read' | 'changing';

export interface MoveParts {
  readonly store: EventStore;
  /** Connections of a login that is a member of phaseline_service and of phaseline_archivist. */
  readonly pool: pg.Pool;
  readonly archives: ArchiveStore;
}

export interface MoveOptions {
  readonly actor: Actor;
  readonly now: Date;
  /** Days after the end of the job; absent if the move of this job was requested. */
  readonly afterDays?: number;
  /** Whether to report what would move without storing or dropping anything. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal | undefined;
}

const MAX_CONFLICTS = 5;
/** SQLSTATEs of phaseline.move_to_cold_storage (migrations/000050_cold_storage.sql). */
const OTHER_EVENTS = 'PL014';
const KEPT_BY_STATE: Readonly<Record<string, MoveKeptReason>> = { PL015: 'not-anchored', PL016: 'not-read' };

/**
 * Moves the events of the ended phases of an ended job to cold storage. The archive is stored and verified before anything is dropped, and
 * the rows are dropped in one commit with the event `JobMovedToColdStorage`. So a crash leaves either the rows, perhaps with an archive that
 * nothing refers to, or the archive with its event. Throws errors of the storage, and ArchiveAltered if it does not return what was stored.
 */
export async function moveJob(
  { store, pool, archives }: MoveParts,
  jobId: JobId,
  { actor, now, afterDays, dryRun = false, signal }: MoveOptions,
): Promise<MoveOutcome> {
  for (let conflicts = 0; conflicts <= MAX_CONFLICTS; conflicts += 1) {
    signal?.throwIfAborted();
    // The state is loaded before the archive is made: the append fails if a hold or a retry came in between.
    const job = await new JobRepository(store).loadJob(jobId);
    if (!job || !hasJobEnded(job)) return { kind: 'kept', reason: 'running' };
    if (job.erased) return { kind: 'kept', reason: 'erased' };
    if (job.hold) return { kind: 'kept', reason: 'held' };
    // Otherwise each run would store an archive that nothing may refer to.
    if (!(await areAnchored(pool, jobId))) return { kind: 'kept', reason: 'not-anchored' };
    const made = await makeArchive(pool, jobId);
    if (!made) return { kind: 'kept', reason: 'empty' };
    if (dryRun) return { kind: 'moved', events: made.events, bytes: made.content.byteLength };
    faultPoint('cold-storage.made', jobId);
    await archives.put(made.name, made.content);
    faultPoint('cold-storage.stored', jobId);
    const verified = await verifyStoredArchive(archives, made);
    faultPoint('cold-storage.verified', jobId);
    const data = {
      actor: getActorName(actor),
      movedAt: now.toISOString(),
      ...verified,
      ...(afterDays === undefined ? {} : { afterDays }),
    };
    const append = buildJobAppend(jobId, job.version, [{ type: 'JobMovedToColdStorage', data }], { actor });
    try {
      await runInTransaction(pool, async (client) => {
        await store.appendWithin(client, append);
        faultPoint('cold-storage.appended', jobId);
        await client.query('SELECT phaseline.move_to_cold_storage($1)', [jobId]);
        faultPoint('cold-storage.dropped', jobId);
      });
      faultPoint('cold-storage.committed', jobId);
      return { kind: 'moved', events: verified.events, bytes: verified.bytes };
    } catch (error) {
      const reason = KEPT_BY_STATE[sqlState(error) ?? ''];
      if (reason) return { kind: 'kept', reason };
      if (sqlState(error) !== OTHER_EVENTS && !(error instanceof WrongExpectedVersion)) throw error;
    }
  }
  return { kind: 'kept', reason: 'changing' };
}

/** Whether anchors cover the last event of every stream that would move. The database checks it again when it drops the rows. */
async function areAnchored(pool: pg.Pool, jobId: JobId): Promise<boolean> {
  const [row] = await queryRows<{ missing: boolean }>(pool, {
    text: `SELECT EXISTS (SELECT FROM phaseline.movable_streams($1) AS m WHERE NOT EXISTS (
        SELECT FROM phaseline.anchored_heads AS a
        WHERE a.stream_id = m.stream_id AND a.version = m.version AND a.hash = m.hash)) AS missing`,
    values: [jobId],
  });
  return !row!.missing;
}
