import type pg from 'pg';
import { mapDatabaseError } from '../database/database-errors.js';
import { JobKey } from './job-key.js';
import type { MasterKeys } from './master-keys.js';
import { ContentErased, SealBroken } from './sealed-errors.js';

/** `erased`: the job had a key. `none`: it never had one. */
export type FoundKey = JobKey | 'erased' | 'none';

interface Kept {
  readonly key: Promise<JobKey>;
  readonly until: number;
}

interface KeyRow {
  readonly wrapped: Buffer | null;
  readonly master_key_id: string;
}

/** How long a key is used without asking again whether it was erased, in milliseconds; saves nearly every round trip for keys. */
export const KEY_KEPT_MS = 3_000;

/** The keys of sealed jobs, kept for a moment. Throws DatabaseUnreachable, MasterKeyMissing and SealBroken. */
export class JobKeys {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly pool: pg.Pool,
    private readonly masterKeys: MasterKeys,
    private readonly keptMs = KEY_KEPT_MS,
  ) {}

  async find(correlationId: string): Promise<FoundKey> {
    const known = this.known(correlationId);
    if (known) return known;
    const [row] = await this.query({
      name: 'phaseline-job-key',
      text: 'SELECT wrapped, master_key_id FROM phaseline.job_keys WHERE correlation_id = $1',
      values: [correlationId],
    });
    if (!row) return 'none';
    if (!row.wrapped) return 'erased';
    return this.keep(correlationId, Promise.resolve(this.unwrapped(correlationId, row)));
  }

  /** The key to read with. Throws ContentErased as well. */
  async toRead(correlationId: string): Promise<JobKey> {
    const key = await this.find(correlationId);
    if (key === 'none') throw new SealBroken(`job ${correlationId}, whose key is not in the database,`);
    if (key === 'erased') throw new ContentErased(correlationId);
    return key;
  }

  /** The key to write with; made where the job has none yet. Throws ContentErased as well. */
  async toWrite(correlationId: string): Promise<JobKey> {
    // Those that ask at once ask together.
    return this.known(correlationId) ?? this.keep(correlationId, this.create(correlationId));
  }

  /** Destroys the key in a transaction of the caller, and all files of the job with it. */
  async erase(client: Pick<pg.ClientBase, 'query'>, correlationId: string): Promise<void> {
    await client.query('SELECT phaseline.erase_job_key($1)', [correlationId]);
  }

  forget(correlationId: string): void {
    this.kept.delete(correlationId);
  }

  private async create(correlationId: string): Promise<JobKey> {
    const made = this.masterKeys.wrap(correlationId, JobKey.generate().bytes);
    const [row] = await this.query({
      name: 'phaseline-create-job-key',
      text: 'SELECT wrapped, master_key_id FROM phaseline.create_job_key($1, $2, $3)',
      values: [correlationId, made.wrapped, made.masterKeyId],
    });
    if (!row?.wrapped) throw new ContentErased(correlationId);
    return this.unwrapped(correlationId, row);
  }

  private unwrapped(correlationId: string, { wrapped, master_key_id: masterKeyId }: KeyRow): JobKey {
    return new JobKey(this.masterKeys.unwrap(correlationId, { wrapped: wrapped!, masterKeyId }));
  }

  private known(correlationId: string): Promise<JobKey> | undefined {
    const kept = this.kept.get(correlationId);
    return kept && kept.until > performance.now() ? kept.key : undefined;
  }

  private keep(correlationId: string, key: Promise<JobKey>): Promise<JobKey> {
    const now = performance.now();
    for (const [id, { until }] of this.kept) {
      if (until > now) break;
      this.kept.delete(id);
    }
    this.kept.delete(correlationId);
    this.kept.set(correlationId, { key, until: now + this.keptMs });
    key.catch(() => this.kept.delete(correlationId));
    return key;
  }

  private async query(config: pg.QueryConfig): Promise<KeyRow[]> {
    try {
      return (await this.pool.query<KeyRow>(config)).rows;
    } catch (error) {
      throw mapDatabaseError(error);
    }
  }
}
