import { randomUUID } from 'node:crypto';
import { createPool } from '@phaseline/event-store';
import { PostgresAdmission, type SlotRequest } from '@phaseline/orchestration';
import { BenchFailed, requireCount } from './bench-failed.js';
import { percentile } from './percentile.js';

/*
 * What a decision about a slot costs: one round trip each, over the whole life of a phase that is alone in the system ("ask",
 * "leave"), and where others wait ("leave" then also decides whose turn it is).
 *
 * Knobs: tenants and jobs that wait, callers at once.
 */

export interface SlotsRow {
  readonly tenants: number;
  readonly waiting: number;
  readonly callers: number;
  readonly slotsPerSecond: number;
  /** Of one call. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const WINDOW = 64;

export async function slotsBench(databaseUrl: string, slots: number): Promise<SlotsRow[]> {
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
  const held = (await admission.fill()).map(({ jobId }) => jobId);
  const times: number[] = [];
  const timed = async <Result>(run: Promise<Result>): Promise<Result> => {
    const began = performance.now();
    const result = await run;
    times.push(performance.now() - began);
    return result;
  };
  let left = slots;
  let given = 0;
  const waitingBefore = waiting - held.length;
  // Each slot that is given back brings one more job into the line, so the line stays as long as it was.
  const turn = async (number: number): Promise<void> => {
    const request: SlotRequest = {
      jobId: randomUUID(),
      phase: 1,
      kind: 'tactical',
      tenant: `tenant-${number % tenants}`,
      priority: 0,
    };
    const { granted, others } = await timed(admission.ask(request));
    held.push(...(granted ? [request.jobId] : []), ...others.map(({ jobId }) => jobId));
    given += (granted ? 1 : 0) + others.length;
    const leaving = held.shift();
    if (leaving === undefined) throw new BenchFailed('no slot is held that could be given back');
    const next = await timed(admission.leave(leaving));
    given += next.length;
    held.push(...next.map(({ jobId }) => jobId));
  };
  const began = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left > 0) await turn((left -= 1));
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  const { rows } = await pool.query<{ waiting: string }>(
    'SELECT count(*) AS waiting FROM phaseline.slots WHERE granted_at IS NULL',
  );
  requireCount('slots given', given, slots + waitingBefore - Number(rows[0]!.waiting));
  times.sort((a, b) => a - b);
  return {
    tenants,
    waiting,
    callers,
    slotsPerSecond: given / seconds,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  };
}
