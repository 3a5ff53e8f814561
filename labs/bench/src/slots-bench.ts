import { randomUUID } from 'node:crypto';
import { createPool } from '@phaseline/event-store';
import { PostgresAdmission, type SlotRequest } from '@phaseline/orchestration';
import { BenchFailed, requireCount } from './bench-failed.js';
import { percentile } from '@phaseline/harness';

/*
 * Measures the cost of admission decisions, one round trip each: `ask` and `leave` of a phase that is alone in the system, and while
 * others wait, when `leave` also grants the slot to the next one.
 *
 * Options: waiting tenants and jobs, concurrent callers.
 */

export interface SlotsRow {
  readonly tenants: number;
  readonly waiting: number;
  readonly callers: number;
  readonly slotsPerSecond: number;
  /** Median duration of one call. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const WINDOW = 64;

export async function measureAdmission(databaseUrl: string, slots: number): Promise<SlotsRow[]> {
  const pool = createPool(databaseUrl, { max: 16, applicationName: 'bench' });
  const rows: SlotsRow[] = [];
  try {
    for (const [tenants, waiting] of [
      [1, 0],
      [11, 1_000],
      [1_000, 10_000],
    ] as const)
      for (const callers of [1, 8]) rows.push(await measure(pool, { tenants, waiting, callers, slots }));
    return rows;
  } finally {
    await pool.query('DELETE FROM phaseline.slots');
    await pool.end();
  }
}

async function measure(
  pool: ReturnType<typeof createPool>,
  { tenants, waiting, callers, slots }: { tenants: number; waiting: number; callers: number; slots: number },
): Promise<SlotsRow> {
  const admission = new PostgresAdmission(pool, { settings: { window: WINDOW } });
  await pool.query('DELETE FROM phaseline.slots');
  await pool.query(
    `INSERT INTO phaseline.slots (job_id, phase, kind, tenant, priority, queued_at, requested_at)
     SELECT gen_random_uuid(), 1, 'tactical', 'tenant-' || (n % $1), 0, clock_timestamp(), now() FROM generate_series(1, $2::int) AS n`,
    [tenants, waiting],
  );
  const holders = (await admission.grantAvailable()).map(({ jobId }) => jobId);
  const times: number[] = [];
  const measureCall = async <Result>(run: Promise<Result>): Promise<Result> => {
    const began = performance.now();
    const result = await run;
    times.push(performance.now() - began);
    return result;
  };
  let remaining = slots;
  let grantedCount = 0;
  const waitingBefore = waiting - holders.length;
  // For each released slot one more job requests a slot, so that the length of the queue stays the same.
  const requestAndRelease = async (number: number): Promise<void> => {
    const request: SlotRequest = {
      jobId: randomUUID(),
      phase: 1,
      kind: 'tactical',
      tenant: `tenant-${number % tenants}`,
      priority: 0,
    };
    const { isGranted, grantsToOthers } = await measureCall(admission.requestSlot(request));
    holders.push(...(isGranted ? [request.jobId] : []), ...grantsToOthers.map(({ jobId }) => jobId));
    grantedCount += (isGranted ? 1 : 0) + grantsToOthers.length;
    const leaving = holders.shift();
    if (leaving === undefined) throw new BenchFailed('there is no held slot to release');
    const next = await measureCall(admission.releaseSlot(leaving));
    grantedCount += next.length;
    holders.push(...next.map(({ jobId }) => jobId));
  };
  const began = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (remaining > 0) await requestAndRelease((remaining -= 1));
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  const { rows } = await pool.query<{ waiting: string }>(
    'SELECT count(*) AS waiting FROM phaseline.slots WHERE granted_at IS NULL',
  );
  requireCount('granted slots', grantedCount, slots + waitingBefore - Number(rows[0]!.waiting));
  return {
    tenants,
    waiting,
    callers,
    slotsPerSecond: grantedCount / seconds,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  };
}
