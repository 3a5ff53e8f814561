import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isUnreachable, mapDatabaseError, sqlState } from '../database/database-errors.js';
import { appendBatch, appendOne, fitsAppendOne } from './append-statements.js';
import type { UnitOutcome } from './append-outcomes.js';
import type { EncodableUnit } from './encode-batch.js';

const UNIQUE_VIOLATION = '23505';

/**
 * Somebody else committed the same event id, the same new stream or the same blobs at the same moment, or a circle of
 * waits was broken. Asked again, the append sees what they committed.
 */
const worthRepeating = new Set([UNIQUE_VIOLATION, '40001', '40P01']);
const MOST_REPEATS = 5;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/**
 * Appends units, repeating what passes by itself: conflicts at once, an unreachable database until `patienceMs` is over.
 * Repeating is harmless even when the first try was committed and only its answer lost, because the event ids tell.
 * A failure of any other kind is narrowed down to the unit that causes it; the rest is committed.
 */
export async function appendPatiently(
  pool: pg.Pool,
  units: readonly EncodableUnit[],
  patienceMs: number,
): Promise<UnitOutcome[]> {
  const deadline = performance.now() + patienceMs;
  let pause = FIRST_PAUSE_MS;
  for (let repeats = 0; ;) {
    try {
      return await attempt(pool, units);
    } catch (error) {
      if (isUnreachable(error)) {
        if (performance.now() + pause > deadline) return units.map(() => mapDatabaseError(error) as Error);
        await sleep(pause);
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        continue;
      }
      const state = sqlState(error);
      if (state !== undefined && worthRepeating.has(state) && repeats < MOST_REPEATS) {
        repeats += 1;
        continue;
      }
      if (units.length === 1) return [error as Error];
    }
    const outcomes: UnitOutcome[] = [];
    for (const unit of units) outcomes.push(...(await appendPatiently(pool, [unit], deadline - performance.now())));
    return outcomes;
  }
}

async function attempt(pool: pg.Pool, units: readonly EncodableUnit[]): Promise<UnitOutcome[]> {
  const [first] = units;
  if (units.length === 1 && first && fitsAppendOne(first)) {
    const results = await appendOne(pool, first).catch((error: unknown) => {
      if (sqlState(error) === UNIQUE_VIOLATION) return undefined;
      throw error;
    });
    if (results) return [results];
  }
  return appendBatch(pool, units);
}
