/**
 * What an audit takes: sealing a log that has no seals yet, verifying it in the database, exporting it, verifying the export.
 *
 * Outputs: for each of these how many events there were, seconds, and events a second. The figures are those of one process and one
 * server on the same machine; a machine that does something else meanwhile makes all of them worse alike.
 *
 * Knobs: databaseUrl (as the services log in), events (the log is filled up to so many), folder (for the export, some 1 KB an event).
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportLog, makeSeals, openAuditKey, verifyExport, verifySeals } from '@phaseline/audit';
import { createPool, EventStore, verifyChain } from '@phaseline/event-store';
import { BenchFailed, requireCount } from './bench-failed.js';
import { generateLog } from './generate-log.js';

export interface AuditRow {
  readonly what: string;
  readonly events: number;
  readonly seconds: number;
  readonly perSecond: number;
}

export interface AuditBenchOptions {
  readonly databaseUrl: string;
  readonly events: number;
  readonly folder: string;
}

export async function auditBench({ databaseUrl, events, folder }: AuditBenchOptions): Promise<AuditRow[]> {
  const pool = createPool(databaseUrl, { max: 8, applicationName: 'bench' });
  const target = join(folder, 'export');
  const rows: AuditRow[] = [];
  const measure = async (what: string, work: () => Promise<number>): Promise<void> => {
    const began = performance.now();
    const done = await work();
    const seconds = (performance.now() - began) / 1_000;
    rows.push({ what, events: done, seconds, perSecond: done / seconds });
  };
  try {
    await fill(pool, events);
    await allCanBeSealed(pool);
    const key = await openAuditKey(join(folder, 'audit-key.pem'));
    const now = (): Date => new Date();
    await measure('seal', async () => (await makeSeals(pool, key, { now })).at(-1)?.events ?? 0);
    const { rows: inLog } = await pool.query<{ count: string }>('SELECT count(*) FROM phaseline.events');
    await measure('verify in the database', async () => {
      const chain = await verifyChain(pool);
      const seals = await verifySeals(pool);
      if (chain.problemCount + seals.problems.length > 0) throw new Error('the log of the bench does not hold');
      return chain.events;
    });
    await measure('export', async () => (await exportLog(pool, { folder: target, key, now })).events);
    await measure('verify the export', async () => {
      const report = await verifyExport(target);
      if (!report.holds) throw new Error('the export of the bench does not hold');
      return report.events;
    });
    for (const row of rows) requireCount(`events of '${row.what}'`, row.events, Number(inLog[0]!.count));
    return rows;
  } finally {
    await pool.end();
    await rm(target, { recursive: true, force: true });
  }
}

/** A seal covers what is older than every open transaction of the server, those of other databases too. */
async function allCanBeSealed(pool: ReturnType<typeof createPool>): Promise<void> {
  for (let attemptsLeft = 600; attemptsLeft > 0; attemptsLeft -= 1) {
    const { rows } = await pool.query<{ ready: boolean }>(
      'SELECT max(transaction_id) < pg_snapshot_xmin(pg_current_snapshot()) AS ready FROM phaseline.events',
    );
    if (rows[0]!.ready) return;
    await sleep(100);
  }
  throw new BenchFailed('transactions of other databases stayed open for a minute: the newest events cannot be sealed');
}

async function fill(pool: ReturnType<typeof createPool>, wanted: number): Promise<void> {
  const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM phaseline.events');
  const missing = wanted - Number(rows[0]?.count ?? 0);
  if (missing <= 0) return;
  const store = new EventStore(pool);
  await generateLog({ store, events: missing });
  await store.close();
}
