import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';
import { readReferences } from '../retention/read-references.js';

const EVENTS_PER_READ = 5_000;

/**
 * Records which files the events refer to, for the collection of blobs and for retention: neither reads archives. Events above the oldest
 * open transaction are left to the next run.
 */
export async function markReferences(pool: pg.Pool, signal?: AbortSignal): Promise<void> {
  await readReferences(pool, signal);
  for (let events = 1; events > 0;) {
    signal?.throwIfAborted();
    const text = 'SELECT phaseline.mark_blobs($1) AS events';
    const [row] = await queryRows<{ events: number }>(pool, { text, values: [EVENTS_PER_READ] });
    events = row?.events ?? 0;
  }
}
