import type { JobId } from '@phaseline/contracts';
import { queryRows, readColdEvents, type ColdStorage, type StoredEvent } from '@phaseline/event-store';
import type pg from 'pg';

const ARCHIVES = {
  name: 'phaseline-archives-of-job',
  text: 'SELECT archive FROM phaseline.cold_archives WHERE correlation_id = $1 ORDER BY first_position',
};

/**
 * Reads the events of a job in cold storage, in the order of positions; none for nearly every job. Call it after reading the log: a job that
 * moves in between is then found twice, but never missed.
 */
export async function readArchivedEvents(
  pool: pg.Pool,
  jobId: JobId,
  cold: ColdStorage | undefined,
): Promise<readonly StoredEvent[]> {
  const archives = await queryRows<{ archive: string }>(pool, { ...ARCHIVES, values: [jobId] });
  const events: StoredEvent[] = [];
  for (const { archive } of archives) events.push(...(await readColdEvents(cold, pool, archive)));
  return events.sort((left, right) => left.position - right.position);
}

/** Merges rows of the log with rows of archives in the order of positions, each position once. */
export function mergeByPosition<Row extends { readonly position: number | string }>(
  rows: readonly Row[],
  archived: readonly Row[],
): Row[] {
  const merged = new Map([...archived, ...rows].map((row) => [Number(row.position), row]));
  return [...merged.values()].sort((left, right) => Number(left.position) - Number(right.position));
}
