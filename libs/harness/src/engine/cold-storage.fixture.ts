import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAnchors, openAuditKey, type AuditKey } from '@phaseline/audit';
import type { JobId } from '@phaseline/contracts';
import { redactEvent } from '@phaseline/domain';
import { ColdStorage, createPool, EventStore, FolderArchives, MasterKeys } from '@phaseline/event-store';
import { markReferences, moveJob, type JobRequest, type MoveOutcome } from '@phaseline/orchestration';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import pg from 'pg';
import { inject } from 'vitest';
import { Engine } from './engine.js';
import { call, createThreePhasePolicy } from './scripts.js';

const PROGRESS_OF_REFERENCES = `(SELECT transaction_id FROM phaseline.file_reference_progress),
  (SELECT transaction_id FROM phaseline.blob_mark_progress)`;
/** Before the first anchor nothing is anchored; least() would ignore a NULL. */
const PROGRESS_OF_ANCHORS = `coalesce((SELECT max(horizon) FROM phaseline.anchors), '0')`;

export const mover = { id: 'cold-storage', kind: 'process' } as const;

/** A database, and a login of its server that may create others. */
export interface ServerDatabase {
  readonly database: TestDatabase;
  readonly superuserUrl: string;
}

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
    private readonly superuserUrl: string,
    readonly folder: string,
    private readonly key: AuditKey,
  ) {
    this.pool = createPool(database.serviceUrl, { max: 8 });
    this.owner = createPool(database.ownerUrl, { max: 2 });
    this.archivist = createPool(archivistUrl, { max: 2 });
    this.archives = new FolderArchives(join(folder, 'cold'));
    this.cold = new ColdStorage(this.archives);
    const masterKeys = MasterKeys.parse(MasterKeys.generate());
    this.store = new EventStore(this.pool, { cold: this.cold, encryption: { masterKeys, redact: redactEvent } });
  }

  /** Opens a database on `server`, or on the server of the test run. */
  static async open(server?: ServerDatabase): Promise<ColdStorageFixture> {
    const database = server?.database ?? (await createTestDatabase());
    const superuserUrl = server?.superuserUrl ?? inject('testServer').superuserUrl;
    const folder = await mkdtemp(join(tmpdir(), 'cold-storage-'));
    const key = await openAuditKey(join(folder, 'key.pem'));
    return new ColdStorageFixture(database, await createArchivist(database, superuserUrl), superuserUrl, folder, key);
  }

  async close(): Promise<void> {
    for (const pool of [this.pool, this.owner, this.archivist]) await pool.end();
    const name = new URL(this.archivistUrl).username;
    await this.database.drop();
    await administer(this.superuserUrl, `DROP ROLE ${name}`);
    await rm(this.folder, { recursive: true });
  }

  /** Runs a job of three phases to its end. */
  async playJob(request: Partial<JobRequest> = {}): Promise<JobId> {
    const policy = createThreePhasePolicy([call('write_file', { path: 'notes/a.md', content: 'alpha' })]);
    return new Engine({ store: this.store, policy }).submitAndRun(request);
  }

  /** Anchors all events, and records their references. Open transactions of other specs on the same server hold both back. */
  async anchor(): Promise<void> {
    const attempt = async (): Promise<void> => {
      await createAnchors(this.pool, this.key, { now: () => new Date() });
      await markReferences(this.pool);
    };
    await this.retryUntilRead(attempt, [PROGRESS_OF_REFERENCES, PROGRESS_OF_ANCHORS]);
  }

  private async retryUntilRead(attempt: () => Promise<void>, progress: readonly string[]): Promise<void> {
    for (;;) {
      await attempt();
      const { rows } = await this.owner.query<{ done: boolean }>(
        `SELECT max(e.transaction_id) <= least(${progress.join(', ')}) AS done FROM phaseline.events AS e`,
      );
      if (rows[0]!.done) return;
      await sleep(20);
    }
  }

  /** Records the references of all events. */
  async markReferences(): Promise<void> {
    await this.retryUntilRead(() => markReferences(this.pool), [PROGRESS_OF_REFERENCES]);
  }

  /** Names of the archives in the folder. */
  async listArchives(): Promise<readonly string[]> {
    const { location } = this.archives;
    const entries = await readdir(location, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(location, join(parentPath, name)))
      .toSorted();
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

async function createArchivist(database: TestDatabase, superuserUrl: string): Promise<string> {
  const url = new URL(database.ownerUrl);
  url.username = `archivist_${randomBytes(6).toString('hex')}`;
  url.password = randomBytes(12).toString('hex');
  await administer(
    superuserUrl,
    `CREATE ROLE ${url.username} LOGIN PASSWORD '${url.password}' IN ROLE phaseline_service, phaseline_archivist`,
    `GRANT CONNECT ON DATABASE ${url.pathname.slice(1)} TO ${url.username}`,
  );
  return url.href;
}

async function administer(superuserUrl: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
