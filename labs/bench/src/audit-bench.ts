/**
 * Measures an audit: anchoring a log without anchors, verifying it in the database, exporting it, and verifying the export.
 *
 * Results: events, seconds and events per second of each step, for one process and one server on the same machine. Other load on the
 * machine slows down all steps alike.
 *
 * Options: databaseUrl (with the role of the services), events (the log is filled up to this number), folder (for the export, about
 * 1 KB per event).
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportLog, createAnchors, openAuditKey, verifyExport, verifyAnchors } from '@phaseline/audit';
import { createPool, EventStore, verifyChain } from '@phaseline/event-store';
import { BenchFailed, requireCount } from './bench-failed.js';
import { generateLog } from '@phaseline/harness';

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

export async function measureAudit({ databaseUrl, events, folder }: AuditBenchOptions): Promise<AuditRow[]> {
  const pool = createPool(databaseUrl, { max: 8, applicationName: 'bench' });
  const target = join(folder, 'export');
  const rows: AuditRow[] = [];
  const measure = async (what: string, work: () => Promise<number>): Promise<void> => {
    const began = performance.now();
    const count = await work();
    const seconds = (performance.now() - began) / 1_000;
    rows.push({ what, events: count, seconds, perSecond: count / seconds });
  };
  try {
    await fillLog(pool, events);
    await waitUntilAnchorable(pool);
    const key = await openAuditKey(join(folder, 'audit-key.pem'));
    const now = (): Date => new Date();
    await measure('anchor', async () => (await createAnchors(pool, key, { now })).at(-1)?.events ?? 0);
    const { rows: inLog } = await pool.query<{ count: string }>('SELECT count(*) FROM phaseline.events');
    await measure('verify in the database', async () => {
      const chain = await verifyChain(pool);
      const anchors = await verifyAnchors(pool);
      if (chain.problemCount + anchors.problems.length > 0) throw new Error('the verification of the log failed');
      return chain.events;
    });
    await measure('export', async () => (await exportLog(pool, { folder: target, key, now })).events);
    await measure('verify the export', async () => {
      const report = await verifyExport(target);
      if (!report.passed) throw new Error('the verification of the export failed');
      return report.events;
    });
    for (const row of rows) requireCount(`events of '${row.what}'`, row.events, Number(inLog[0]!.count));
    return rows;
  } finally {
    await pool.end();
    await rm(target, { recursive: true, force: true });
  }
}

/** Waits until all events can be anchored: an anchor covers only events older than every open transaction of the server, in any database. */
async function waitUntilAnchorable(pool: ReturnType<typeof createPool>): Promise<void> {
  for (let attemptsLeft = 600; attemptsLeft > 0; attemptsLeft -= 1) {
    const { rows } = await pool.query<{ ready: boolean }>(
      'SELECT max(transaction_id) < pg_snapshot_xmin(pg_current_snapshot()) AS ready FROM phaseline.events',
    );
    if (rows[0]!.ready) return;
    await sleep(100);
  }
  throw new BenchFailed(
    'transactions of other databases stayed open for a minute, so the newest events cannot be anchored',
  );
}

async function fillLog(pool: ReturnType<typeof createPool>, targetEvents: number): Promise<void> {
  const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM phaseline.events');
  const missing = targetEvents - Number(rows[0]?.count ?? 0);
  if (missing <= 0) return;
  const store = new EventStore(pool);
  await generateLog({ store, events: missing });
  await store.close();
}
