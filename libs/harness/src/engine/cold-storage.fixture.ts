import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAnchors, openAuditKey, type AuditKey } from '@phaseline/audit';
import type { JobId } from '@phaseline/contracts';
import { ColdStorage, createPool, EventStore, FolderArchives } from '@phaseline/event-store';
import { markReferences, moveJob, type MoveOutcome } from '@phaseline/orchestration';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import pg from 'pg';
import { inject } from 'vitest';
import { Engine } from './engine.js';
import { call, createThreePhasePolicy } from './scripts.js';

export const mover = { id: 'cold-storage', kind: 'process' } as const;

/** A database with a cold storage, and a login that may move jobs there. */
export class ColdStorageFixture {
  readonly pool: pg.Pool;
  readonly owner: pg.Pool;
  readonly archivist: pg.Pool;
  readonly archives: FolderArchives;
  readonly cold: ColdStorage;
  readonly store: EventStore;

  private constructor(
    readonly database: TestDatabase,
    readonly archivistUrl: string,
    readonly folder: string,
    private readonly key: AuditKey,
  ) {
    this.pool = createPool(database.serviceUrl, { max: 8 });
    this.owner = createPool(database.ownerUrl, { max: 2 });
    this.archivist = createPool(archivistUrl, { max: 2 });
    this.archives = new FolderArchives(join(folder, 'cold'));
    this.cold = new ColdStorage(this.archives);
    this.store = new EventStore(this.pool, { cold: this.cold });
  }

  static async open(): Promise<ColdStorageFixture> {
    const database = await createTestDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'cold-storage-'));
    const key = await openAuditKey(join(folder, 'key.pem'));
    return new ColdStorageFixture(database, await createArchivist(database), folder, key);
  }

  async close(): Promise<void> {
    for (const pool of [this.pool, this.owner, this.archivist]) await pool.end();
    const name = new URL(this.archivistUrl).username;
    await this.database.drop();
    await administer(`DROP ROLE ${name}`);
    await rm(this.folder, { recursive: true });
  }

  /** Runs a job of three phases to its end. */
  async playJob(): Promise<JobId> {
    const policy = createThreePhasePolicy([call('write_file', { path: 'notes/a.md', content: 'alpha' })]);
    return new Engine({ store: this.store, policy }).submitAndRun();
  }

  /** Anchors all events, and records their references. Open transactions of other specs on the same server hold both back. */
  async anchor(): Promise<void> {
    for (;;) {
      await createAnchors(this.pool, this.key, { now: () => new Date() });
      await markReferences(this.pool);
      const { rows } = await this.owner.query<{ done: boolean }>(
        `SELECT max(e.transaction_id) <= least((SELECT transaction_id FROM phaseline.file_reference_progress),
           (SELECT transaction_id FROM phaseline.blob_mark_progress), (SELECT max(horizon) FROM phaseline.anchors)) AS done
         FROM phaseline.events AS e`,
      );
      if (rows[0]!.done) return;
      await sleep(20);
    }
  }

  move(jobId: JobId, options: Partial<Parameters<typeof moveJob>[2]> = {}): Promise<MoveOutcome> {
    const parts = { store: this.store, pool: this.archivist, archives: this.archives };
    return moveJob(parts, jobId, { actor: mover, now: new Date(), ...options });
  }

  async countRows(jobId: JobId): Promise<number> {
    const text = 'SELECT count(*)::int AS n FROM phaseline.events WHERE correlation_id = $1';
    return (await this.owner.query<{ n: number }>(text, [jobId])).rows[0]!.n;
  }
}

async function createArchivist(database: TestDatabase): Promise<string> {
  const url = new URL(database.ownerUrl);
  url.username = `archivist_${randomBytes(6).toString('hex')}`;
  url.password = randomBytes(12).toString('hex');
  await administer(
    `CREATE ROLE ${url.username} LOGIN PASSWORD '${url.password}' IN ROLE phaseline_service, phaseline_archivist`,
    `GRANT CONNECT ON DATABASE ${url.pathname.slice(1)} TO ${url.username}`,
  );
  return url.href;
}

async function administer(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject('testServer').superuserUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
