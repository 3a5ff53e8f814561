import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';

const EVENTS_PER_READ = 10_000;

/** Reads the events since the last run, so that every reference to content, and every ended job, is known. */
export async function readReferences(pool: pg.Pool, signal: AbortSignal | undefined): Promise<void> {
  for (let events = 1; events > 0;) {
    signal?.throwIfAborted();
    const text = 'SELECT phaseline.reference_files($1) AS events';
    const [row] = await queryRows<{ events: number }>(pool, { text, values: [EVENTS_PER_READ] });
    events = row?.events ?? 0;
  }
}
