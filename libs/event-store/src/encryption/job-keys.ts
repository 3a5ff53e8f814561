import type { JobId } from '@phaseline/contracts';
import type pg from 'pg';
import { queryRows } from '../database/query-rows.js';
import { JobKey } from './job-key.js';
import type { MasterKeys } from './master-keys.js';
import { ContentErased, DecryptionFailed } from './encryption-errors.js';

/** Result of a key lookup. `erased`: the key was destroyed. `none`: the job never had a key. */
export type JobKeyLookup = JobKey | 'erased' | 'none';

interface CachedKey {
  readonly key: Promise<JobKey>;
  readonly until: number;
}

interface KeyRow {
  readonly wrapped: Buffer | null;
  readonly master_key_id: string;
}

/** Time for which a key is cached before checking again whether it was erased, in milliseconds. Saves nearly all key queries. */
const KEY_CACHE_MS = 3_000;

/** Reads and creates the keys of encrypted jobs, and caches them briefly. Throws DatabaseUnreachable, MasterKeyMissing and DecryptionFailed. */
export class JobKeys {
  private readonly cache = new Map<string, CachedKey>();

  constructor(
    private readonly pool: pg.Pool,
    private readonly masterKeys: MasterKeys,
    private readonly cacheMs = KEY_CACHE_MS,
  ) {}

  async find(correlationId: JobId): Promise<JobKeyLookup> {
    const cached = this.getCached(correlationId);
    if (cached) return cached;
    const [row] = await queryRows<KeyRow>(this.pool, {
      name: 'phaseline-job-key',
      text: 'SELECT wrapped, master_key_id FROM phaseline.job_keys WHERE correlation_id = $1',
      values: [correlationId],
    });
    if (!row) return 'none';
    if (!row.wrapped) return 'erased';
    return this.addToCache(correlationId, Promise.resolve(this.unwrap(correlationId, row)));
  }

  /** Returns the key for reading. Throws ContentErased as well. */
  async getForReading(correlationId: JobId): Promise<JobKey> {
    const key = await this.find(correlationId);
    if (key === 'none') throw new DecryptionFailed(`job ${correlationId}, whose key is not in the database,`);
    if (key === 'erased') throw new ContentErased(correlationId);
    return key;
  }

  /** Returns the key for writing; creates it if the job has none yet. Throws ContentErased as well. */
  async getForWriting(correlationId: JobId): Promise<JobKey> {
    // Concurrent callers share the promise, and so the query.
    return this.getCached(correlationId) ?? this.addToCache(correlationId, this.create(correlationId));
  }

  /** Destroys the key and all files of the job in a transaction of the caller. */
  async erase(client: Pick<pg.ClientBase, 'query'>, correlationId: JobId): Promise<void> {
    await client.query('SELECT phaseline.erase_job_key($1)', [correlationId]);
  }

  forget(correlationId: JobId): void {
    this.cache.delete(correlationId);
  }

  private async create(correlationId: JobId): Promise<JobKey> {
    const created = this.masterKeys.wrap(correlationId, JobKey.generate().bytes);
    const [row] = await queryRows<KeyRow>(this.pool, {
      name: 'phaseline-create-job-key',
      text: 'SELECT wrapped, master_key_id FROM phaseline.create_job_key($1, $2, $3)',
      values: [correlationId, created.wrapped, created.masterKeyId],
    });
    if (!row?.wrapped) throw new ContentErased(correlationId);
    return this.unwrap(correlationId, row);
  }

  private unwrap(correlationId: JobId, { wrapped, master_key_id: masterKeyId }: KeyRow): JobKey {
    return new JobKey(this.masterKeys.unwrap(correlationId, { wrapped: wrapped!, masterKeyId }));
  }

  private getCached(correlationId: JobId): Promise<JobKey> | undefined {
    const entry = this.cache.get(correlationId);
    return entry && entry.until > performance.now() ? entry.key : undefined;
  }

  private addToCache(correlationId: JobId, key: Promise<JobKey>): Promise<JobKey> {
    const now = performance.now();
    for (const [id, { until }] of this.cache) {
      if (until > now) break;
      this.cache.delete(id);
    }
    this.cache.delete(correlationId);
    this.cache.set(correlationId, { key, until: now + this.cacheMs });
    key.catch(() => this.cache.delete(correlationId));
    return key;
  }
}
