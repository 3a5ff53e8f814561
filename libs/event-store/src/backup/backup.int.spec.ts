import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@phaseline/testing';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { verifyChain } from '../chain/verify-chain.js';
import { createPool } from '../database/pool.js';
import { EventStore } from '../event-store.js';
import { Subscription } from '../tail/subscription.js';
import { newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { backUp } from './back-up.js';
import { OMITTED_TABLES } from './backup-tables.js';
import { restoreBackup } from './restore.js';

const pools = useTestDatabase();
let folder: string;
const open: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-backup-'));
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  await rm(folder, { recursive: true });
});

/** Creates an empty database without a schema on the same server. */
async function createEmptyDatabase(): Promise<string> {
  const name = `restore_${randomUUID().slice(0, 8)}`;
  const template = new URL(pools.database.ownerUrl);
  const admin = new pg.Client({ connectionString: inject('testServer').superuserUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 OWNER ${pg.escapeIdentifier(template.username)}`);
  open.push(async () => {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  template.pathname = `/${name}`;
  return template.href;
}

async function appendFiles(store: EventStore, stream: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const content = new TextEncoder().encode(`file ${stream} ${n}\twith a tab, a \\ and\na line`);
    const hash = createHash('sha256').update(content).digest('hex');
    await store.append(
      { streamId: stream, correlationId: stream, expectedVersion: 'any', events: [newEvent({ data: { n, hash } })] },
      { blobs: [{ hash, content }] },
    );
  }
}

const createBackup = () => backUp(pools.database.serviceUrl, { folder: join(folder, 'b'), now: () => new Date() });
const restore = (url: string) => restoreBackup(url, { folder: join(folder, 'b') });

async function hashRows(url: string, table: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ all: string }>(
      `SELECT coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') AS all FROM phaseline.${table} AS t`,
    );
    return rows[0]!.all;
  } finally {
    await client.end();
  }
}

describe('a backup', () => {
  it('taken during writes is consistent, and the restored log verifies and accepts new events', async () => {
    const store = new EventStore(pools.service);
    open.push(() => store.close());
    await appendFiles(store, 'before', 50);
    let writing = true;
    const writers = ['w1', 'w2', 'w3'].map(async (stream) => {
      while (writing) await appendFiles(store, stream, 5);
    });
    await expect
      .poll(() => store.head('w3').then((head) => head?.version ?? 0), { timeout: 20_000 })
      .toBeGreaterThan(5);
    const summary = await createBackup();
    writing = false;
    await Promise.all(writers);
    expect(summary.events).toBeGreaterThan(50);
    expect(summary.events).toBeLessThan((await verifyChain(pools.service, {})).events);

    const url = await createEmptyDatabase();
    expect(await restore(url)).toMatchObject({ events: summary.events, rows: summary.rows });
    const pool = createPool(url, { max: 4 });
    open.push(() => pool.end());
    const report = await verifyChain(pool, {});
    expect(report).toMatchObject({ events: summary.events, problemCount: 0 });
    // Every event has its blob: both are from the same snapshot.
    const { rows: torn } = await pool.query(
      `SELECT FROM phaseline.events WHERE NOT EXISTS (SELECT FROM phaseline.blobs WHERE hash = decode(data ->> 'hash', 'hex'))`,
    );
    expect(torn).toHaveLength(0);

    // Positions and versions continue, and a subscription sees both restored and new events.
    const seen: string[] = [];
    const reader = new Subscription(pool, {
      name: 'after-restore',
      pollMs: 10,
      handle: async (events) => void seen.push(...events.map(({ eventId }) => eventId)),
    });
    await reader.start();
    open.push(() => reader.close());
    const restored = new EventStore(pool);
    open.push(() => restored.close());
    await appendFiles(restored, 'before', 1);
    await expect.poll(() => seen.length, { timeout: 40_000 }).toBe(summary.events + 1);
    expect(await verifyChain(pool, {})).toMatchObject({ events: summary.events + 1, problemCount: 0 });
  });

  it('restores every included table row by row', async () => {
    const { owner } = pools;
    await owner.query(`INSERT INTO phaseline.quarantine (stream_id, correlation_id, fingerprint, reason, failures, release)
      VALUES ('s', 'c', 'f', E'tab\\t, null \\\\N and "quotes"', 1, 'r')`);
    await owner.query(`INSERT INTO phaseline.subscriptions (name, partition, partitions, transaction_id, position)
      VALUES ('orchestrator', 0, 1, '7', 3), ('mirror-of-a-machine', 0, 1, '7', 3)`);
    await owner.query(`INSERT INTO phaseline.processes (process_id, service) VALUES ('p', 's')`);
    const summary = await createBackup();
    const url = await createEmptyDatabase();
    await restore(url);
    const { rows: tables } = await owner.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'phaseline'::regnamespace AND relkind = 'r'`,
    );
    const kept = tables
      .map(({ name }) => name)
      .filter((name) => !Object.hasOwn(OMITTED_TABLES, name) && !/_(template|v\d+)$/.test(name));
    expect(summary.tables).toBe(kept.length);
    for (const name of kept.filter((table) => table !== 'subscriptions'))
      expect([name, await hashRows(url, name)]).toEqual([name, await hashRows(pools.database.ownerUrl, name)]);
    const pool = createPool(url, { max: 1 });
    open.push(() => pool.end());
    // Only the orchestrator keeps its checkpoint; other subscriptions read the log again.
    expect((await pool.query('SELECT name, position FROM phaseline.subscriptions')).rows).toEqual([
      { name: 'orchestrator', position: '3' },
    ]);
    expect((await pool.query('SELECT FROM phaseline.processes')).rowCount).toBe(0);
  });

  it('needs an empty folder, and removes incomplete files on failure', async () => {
    await createBackup();
    await expect(createBackup()).rejects.toThrow(/is not empty/);
    const wrong = new URL(pools.database.serviceUrl);
    wrong.pathname = '/postgres';
    const target = join(folder, 'other');
    await expect(backUp(wrong.href, { folder: target, now: () => new Date() })).rejects.toThrow();
    expect(await readdir(target)).toEqual([]);
  });
});

describe('a restore', () => {
  async function expectUntouched(url: string): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(`SELECT FROM pg_namespace WHERE nspname = 'phaseline'`);
    await client.end();
    expect(rows).toHaveLength(0);
  }

  const file = (name: string) => join(folder, 'b', name);
  const damages: readonly [string, RegExp, () => Promise<void>][] = [
    [
      'a truncated file',
      /events\.copy\.gz has \d+ bytes, but the manifest says \d+/,
      () => truncate(file('events.copy.gz'), 30),
    ],
    [
      'an altered file',
      /blobs\.copy\.gz does not match its SHA-256/,
      async () => {
        const bytes = await readFile(file('blobs.copy.gz'));
        bytes[bytes.length - 12]! ^= 1;
        await writeFile(file('blobs.copy.gz'), bytes);
      },
    ],
    ['a missing file', /streams\.copy\.gz is missing/, () => rm(file('streams.copy.gz'))],
    ['no manifest', /does not contain manifest\.json/, () => rm(file('manifest.json'))],
    ['a truncated manifest', /it may be truncated/, () => truncate(file('manifest.json'), 200)],
    [
      'an altered manifest',
      /manifest\.json was altered/,
      async () => {
        const text = await readFile(file('manifest.json'), 'utf8');
        await writeFile(file('manifest.json'), text.replace(/"rows": (\d+)/, '"rows": 999'));
      },
    ],
  ];

  it.each(damages)('refuses %s before anything is written', async (_what, message, damage) => {
    await createBackup();
    await damage();
    const url = await createEmptyDatabase();
    await expect(restore(url)).rejects.toThrow(message);
    await expectUntouched(url);
  });

  it('refuses a database that is not empty, and changes nothing in it', async () => {
    await createBackup();
    const other = await createTestDatabase();
    open.push(() => other.drop());
    const pool = createPool(other.serviceUrl, { max: 2 });
    const store = new EventStore(pool);
    await appendFiles(store, 'theirs', 1);
    await expect(restore(other.ownerUrl)).rejects.toThrow(/The database is not empty: phaseline\.\w+ has rows/);
    expect((await pool.query('SELECT stream_id FROM phaseline.events')).rows).toEqual([{ stream_id: 'theirs' }]);
    await store.close();
    await pool.end();
  });

  it('advances lower transaction ids of the server past those of the backup, so that readers see every event', async () => {
    const { rows } = await pools.owner.query<{ xid: string }>('SELECT pg_current_xact_id()::text AS xid');
    await createBackup();
    const path = file('manifest.json');
    const { manifest } = JSON.parse(await readFile(path, 'utf8')) as { manifest: Record<string, unknown> };
    const ahead = { ...manifest, nextTransactionId: String(BigInt(rows[0]!.xid) + 60_000n) };
    const sha256 = createHash('sha256').update(JSON.stringify(ahead)).digest('hex');
    await writeFile(path, JSON.stringify({ manifest: ahead, sha256 }));
    const url = await createEmptyDatabase();
    await restore(url);
    const pool = createPool(url, { max: 1 });
    const { rows: after } = await pool.query<{ passed: boolean }>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS passed',
      [ahead.nextTransactionId],
    );
    await pool.end();
    expect(after).toEqual([{ passed: true }]);
  });
});
