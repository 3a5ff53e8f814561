import { setTimeout as sleep } from 'node:timers/promises';
import { computeBackoffMs } from '@phaseline/basics';
import type pg from 'pg';
import { isUnreachable, mapDatabaseError, sqlState } from '../database/database-errors.js';
import { appendBatch, appendOne, canUseAppendOne } from './append-statements.js';
import type { UnitOutcome } from './append-outcomes.js';
import type { EncodedUnit } from './encode-batch.js';

const UNIQUE_VIOLATION = '23505';

/**
 * SQL states to retry immediately: another transaction committed the same event id, new stream or blobs concurrently, or the server
 * resolved a deadlock. The retry sees what the other transaction committed.
 */
const RETRYABLE_STATES = new Set([UNIQUE_VIOLATION, '40001', '40P01']);
const MAX_CONFLICT_RETRIES = 5;
const PAUSE = { firstMs: 20, maxMs: 500 };

/**
 * Appends units and retries transient failures: conflicts immediately, an unreachable database until `retryForMs` has passed.
 * Retrying is safe even if the first attempt was committed and only its response was lost, because event ids identify the append.
 * On any other error the units are appended one by one, so that only the unit that causes it fails.
 */
export async function appendWithRetries(
  pool: pg.Pool,
  units: readonly EncodedUnit[],
  retryForMs: number,
): Promise<UnitOutcome[]> {
  const deadline = performance.now() + retryForMs;
  let outages = 0;
  for (let conflicts = 0; ;) {
    try {
      return await appendOnce(pool, units);
    } catch (error) {
      if (isUnreachable(error)) {
        outages += 1;
        const pause = computeBackoffMs(PAUSE, outages);
        if (performance.now() + pause > deadline) return units.map(() => mapDatabaseError(error) as Error);
        await sleep(pause);
        continue;
      }
      const state = sqlState(error);
      if (state !== undefined && RETRYABLE_STATES.has(state) && conflicts < MAX_CONFLICT_RETRIES) {
        conflicts += 1;
        continue;
      }
      if (units.length === 1) return [error as Error];
    }
    const outcomes: UnitOutcome[] = [];
    for (const unit of units) outcomes.push(...(await appendWithRetries(pool, [unit], deadline - performance.now())));
    return outcomes;
  }
}

async function appendOnce(pool: pg.Pool, units: readonly EncodedUnit[]): Promise<UnitOutcome[]> {
  const [first] = units;
  if (units.length === 1 && first && canUseAppendOne(first)) {
    const results = await appendOne(pool, first).catch((error: unknown) => {
      if (sqlState(error) === UNIQUE_VIOLATION) return undefined;
      throw error;
    });
    if (results) return [results];
  }
  return appendBatch(pool, units);
}
