import { setTimeout as sleep } from 'node:timers/promises';
import type { JobId } from '@phaseline/contracts';
import {
  createPool,
  EventStore,
  isUnreachable,
  verifyChain,
  type ChainReport,
  type RecordedEvent,
} from '@phaseline/event-store';
import type { ChildJob } from './judge-delegation.js';

const JOB_ENDS = ['JobCompleted', 'JobFailed', 'JobCancelled'];
const RETRY_FOR_MS = 60_000;

/** Reads the log as the schema's owner, without a proxy. Retries while the database is down. */
export class LogReader {
  private readonly pool: ReturnType<typeof createPool>;
  private readonly store: EventStore;

  constructor(ownerUrl: string) {
    this.pool = createPool(ownerUrl, { max: 3, applicationName: 'phaseline-chaos' });
    this.store = new EventStore(this.pool);
  }

  /** Returns all events of a job. */
  readEvents(jobId: JobId): Promise<RecordedEvent[]> {
    return retryWhileUnreachable(() => this.store.readCorrelation(jobId));
  }

  /** Returns the jobs to which calls of a job delegated. */
  async findChildren(jobId: JobId): Promise<readonly ChildJob[]> {
    const { rows } = await retryWhileUnreachable(() =>
      this.pool.query<ChildJob>(
        `SELECT correlation_id AS "jobId", data -> 'delegatedBy' ->> 'callId' AS "callId" FROM phaseline.events
         WHERE type = 'JobSubmitted' AND data -> 'delegatedBy' ->> 'jobId' = $1`,
        [jobId],
      ),
    );
    return rows;
  }

  /** Returns the given jobs that have ended. */
  async findEndedJobs(jobIds: readonly JobId[]): Promise<Set<string>> {
    const { rows } = await retryWhileUnreachable(() =>
      this.pool.query<{ correlation_id: JobId }>(
        'SELECT correlation_id FROM phaseline.events WHERE correlation_id = ANY ($1) AND type = ANY ($2)',
        [jobIds, JOB_ENDS],
      ),
    );
    return new Set(rows.map((row) => row.correlation_id));
  }

  /** Sum of the partition epochs; rises by one whenever a partition of the log moves to another orchestrator. */
  async sumPartitionEpochs(): Promise<number> {
    const { rows } = await retryWhileUnreachable(() =>
      this.pool.query<{ epochs: string }>(
        "SELECT coalesce(sum(epoch), 0) AS epochs FROM phaseline.subscriptions WHERE name = 'orchestrator'",
      ),
    );
    return Number(rows[0]?.epochs ?? 0);
  }

  /** Recomputes every hash of the log. */
  verify(): Promise<ChainReport> {
    return retryWhileUnreachable(() => verifyChain(this.pool));
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.pool.end();
  }
}

async function retryWhileUnreachable<Result>(read: () => Promise<Result>): Promise<Result> {
  for (const deadline = Date.now() + RETRY_FOR_MS; ; await sleep(200)) {
    try {
      return await read();
    } catch (error) {
      if (!isUnreachable(error) || Date.now() > deadline) throw error;
    }
  }
}
