import { setTimeout as sleep } from 'node:timers/promises';
import type { JobId } from '@phaseline/contracts';
import { createPool, EventStore, type Subscription } from '@phaseline/event-store';
import {
  readProjectionLag,
  readModelNames,
  createReadModelsProjection,
  type ReadModelName,
} from '@phaseline/projections';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { toStreamAppends, generateLog } from '../generated/generate-log.js';
import { generateJob } from '../generated/job-script.js';
import { SeededRandom } from '@phaseline/testing';

type Pool = ReturnType<typeof createPool>;

/** A database with a log and with tails that update its read models. */
export class ProjectionsFixture {
  readonly pool: Pool;
  readonly owner: Pool;
  readonly store: EventStore;
  private readonly running: Subscription[] = [];

  private constructor(readonly database: TestDatabase) {
    this.pool = createPool(database.serviceUrl, { max: 24 });
    this.owner = createPool(database.ownerUrl, { max: 4 });
    this.store = new EventStore(this.pool);
  }

  static async open(): Promise<ProjectionsFixture> {
    return new ProjectionsFixture(await createTestDatabase());
  }

  async close(): Promise<void> {
    for (const subscription of this.running.splice(0)) await subscription.close();
    await this.store.close();
    await this.pool.end();
    await this.owner.end();
    await this.database.drop();
  }

  /** Starts a tail. */
  async startTail(options: Parameters<typeof createReadModelsProjection>[1] = {}): Promise<Subscription> {
    const subscription = createReadModelsProjection(this.pool, { pollMs: 5, ...options });
    this.running.push(subscription);
    await subscription.start();
    return subscription;
  }

  /** Generates jobs of many kinds, some of them unfinished. */
  async generateJobs(events: number, seed = 1): Promise<void> {
    await generateLog({ store: this.store, events, seed, jobsAtOnce: 8 });
    await this.waitForOlderTransactions();
  }

  /**
   * Waits until no open transaction is older than the events of the log. One in any database of the server, thus of another spec, holds
   * back tails and rebuilds.
   */
  async waitForOlderTransactions(): Promise<void> {
    const query =
      'SELECT 1 FROM phaseline.events WHERE transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1';
    while ((await this.pool.query(query)).rows.length > 0) await sleep(20);
  }

  /** Generates a job that the caller appends commit by commit; `next` returns false once it has ended. */
  createScriptedJob(seed: number): { readonly jobId: JobId; readonly next: () => Promise<boolean> } {
    const random = new SeededRandom(seed);
    const jobId = random.uuid();
    const script = generateJob({ jobId, random });
    const versions = new Map<string, number>();
    return {
      jobId,
      next: async () => {
        const { value, done } = script.next();
        if (done || !value) return false;
        await this.store.append(toStreamAppends(jobId, value, versions, random));
        return true;
      },
    };
  }

  /** Waits until the checkpoints have reached the end of the log. */
  async waitUntilCaughtUp(timeoutMs = 30_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const { lagEvents } = await readProjectionLag(this.pool);
      if (lagEvents === 0) return;
      if (performance.now() > deadline) throw new Error(`the read models are still ${lagEvents} events behind`);
      await sleep(20);
    }
  }

  /** Reads every row of every read model through its public view. */
  async readTables(): Promise<Record<ReadModelName, readonly string[]>> {
    const found: Partial<Record<ReadModelName, readonly string[]>> = {};
    for (const name of readModelNames) {
      const { rows } = await this.pool.query<{ row: string }>(`SELECT t::text AS row FROM phaseline.${name} AS t`);
      found[name] = rows.map(({ row }) => row).sort();
    }
    return found as Record<ReadModelName, readonly string[]>;
  }
}
