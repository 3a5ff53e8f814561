import type pg from 'pg';
import { mapDatabaseError } from '../database/database-errors.js';

export interface CollectBlobsOptions {
  /** Blobs that were stored within this time stay, in milliseconds; default a day, at least two hours. */
  readonly graceMs?: number;
  /** Only count. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  /** Told now and then how many events have been looked at. */
  readonly onProgress?: (events: number) => void;
}

export interface CollectedBlobs {
  /** Events that were looked at; those of earlier passes are not looked at again. */
  readonly events: number;
  readonly blobs: number;
  readonly bytes: number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Some hundred milliseconds of work each, so that nobody waits long for the locks of a pass. */
const EVENTS_AT_ONCE = 5_000;
const BLOBS_AT_ONCE = 500;

/**
 * Removes blobs that no event refers to: what uploads that broke off left behind, and files of submissions that were
 * refused. Safe beside running services (migrations/000008_blobs.sql says why), also from several places at once. Throws
 * DatabaseUnreachable; what was done until then stays done.
 */
export async function collectBlobs(pool: pg.Pool, options: CollectBlobsOptions = {}): Promise<CollectedBlobs> {
  const { graceMs = DAY_MS, dryRun = false, signal, onProgress } = options;
  try {
    let events = 0;
    for (;;) {
      signal?.throwIfAborted();
      const { rows } = await pool.query<{ events: number }>('SELECT phaseline.mark_blobs($1) AS events', [
        EVENTS_AT_ONCE,
      ]);
      const looked = rows[0]?.events ?? 0;
      events += looked;
      onProgress?.(events);
      if (looked === 0) break;
    }
    let blobs = 0;
    let bytes = 0;
    for (let after: Buffer = Buffer.alloc(0); ;) {
      signal?.throwIfAborted();
      const { rows } = await pool.query<{ hash: Buffer; size: string }>(
        `SELECT hash, size FROM phaseline.collect_blobs($1::float8 * interval '1 millisecond', $2, $3, $4)`,
        [graceMs, after, BLOBS_AT_ONCE, dryRun],
      );
      const last = rows.at(-1);
      if (!last) return { events, blobs, bytes };
      blobs += rows.length;
      bytes += rows.reduce((sum, { size }) => sum + Number(size), 0);
      after = last.hash;
    }
  } catch (error) {
    throw mapDatabaseError(error);
  }
}
