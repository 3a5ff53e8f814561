import type pg from 'pg';
import { queryRows } from '../database/query-rows.js';

export interface CollectBlobsOptions {
  /** Age in milliseconds below which blobs are kept; default one day, at least two hours. */
  readonly graceMs?: number;
  /** Whether to only count the blobs. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  /** Called regularly with the number of events scanned so far. */
  readonly onProgress?: (events: number) => void;
}

export interface CollectedBlobs {
  /** Number of events scanned. Events scanned by earlier runs are not scanned again. */
  readonly events: number;
  readonly blobs: number;
  readonly bytes: number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Each batch takes some hundred milliseconds, so that others do not wait long for its locks. */
const EVENTS_PER_BATCH = 5_000;
const BLOBS_PER_BATCH = 500;

/**
 * Removes blobs that no event refers to: remains of failed uploads, and files of rejected submissions. Safe while services are running,
 * and when several processes run it concurrently (migrations/000003_blobs.sql explains why). Throws DatabaseUnreachable; work done before
 * an error is kept.
 */
export async function collectBlobs(pool: pg.Pool, options: CollectBlobsOptions = {}): Promise<CollectedBlobs> {
  const { graceMs = DAY_MS, dryRun = false, signal, onProgress } = options;
  let events = 0;
  for (;;) {
    signal?.throwIfAborted();
    const [row] = await queryRows<{ events: number }>(pool, {
      text: 'SELECT phaseline.mark_blobs($1) AS events',
      values: [EVENTS_PER_BATCH],
    });
    const scanned = row?.events ?? 0;
    events += scanned;
    onProgress?.(events);
    if (scanned === 0) break;
  }
  let blobs = 0;
  let bytes = 0;
  for (let after: Buffer = Buffer.alloc(0); ;) {
    signal?.throwIfAborted();
    const rows = await queryRows<{ hash: Buffer; size: string }>(pool, {
      text: `SELECT hash, size FROM phaseline.collect_blobs($1::float8 * interval '1 millisecond', $2, $3, $4)`,
      values: [graceMs, after, BLOBS_PER_BATCH, dryRun],
    });
    const last = rows.at(-1);
    if (!last) return { events, blobs, bytes };
    blobs += rows.length;
    bytes += rows.reduce((sum, { size }) => sum + Number(size), 0);
    after = last.hash;
  }
}
