import { PostgresBackend } from './backends/postgres-backend.js';
import type { PostgresBackendConfig, PostgresPoolConfig } from './backends/postgres-backend.js';
import { RedisBackend } from './backends/redis-backend.js';
import type { RedisBackendConfig } from './backends/redis-backend.js';
import { catalogueOf, queueNames } from './catalogue.js';
import type { Catalogue, JobsContract, Policy, QueueName } from './catalogue.js';
import type { DeadLetterSink } from './dead-letter.js';
import type { QueueMetrics } from './handler.js';
import { Queues } from './queues.js';
import type { QueueTuning } from './queues.js';

export type BackendConfig = PostgresBackendConfig | PostgresPoolConfig | RedisBackendConfig;

export interface QueuesOptions<Job> {
  /** Needed only to send to `jobs` or to work on it. */
  readonly jobs?: JobsContract<Job>;
  readonly onDeadLetter: DeadLetterSink;
  /** Failures that no caller sees: lost connections (once an outage), locks, letters that could not be stored. Must not throw. */
  readonly onError: (error: Error) => void;
  readonly metrics?: QueueMetrics;
  /** Departures from the catalogue, for example another concurrency or fewer attempts. */
  readonly policies?: { readonly [Name in QueueName]?: Partial<Policy> };
  readonly tuning?: QueueTuning;
  /** How long to wait for a server that is not there yet. Default 30,000. */
  readonly startTimeoutMs?: number;
}

/**
 * Connects to the queues.
 *
 * ```ts
 * const queues = await createQueues({ backend: 'postgres', connectionString }, { onDeadLetter, onError });
 * await queues.work('tactical', async ({ jobId, phase }, { signal }) => { … }, { concurrency: 4 });
 * await queues.send('tactical', { jobId, phase: 3, version: 12, epoch: 1 });
 * await queues.close(10_000);
 * ```
 *
 * @throws QueueUnavailable when the server does not answer in time, QueuesNotMigrated when it has no queue tables for us
 */
export async function createQueues<Job = never>(
  config: BackendConfig,
  options: QueuesOptions<Job>,
): Promise<Queues<Job>> {
  const { jobs, onDeadLetter, onError, metrics = {}, policies = {}, tuning = {}, startTimeoutMs = 30_000 } = options;
  const backend = config.backend === 'redis' ? new RedisBackend(config, onError) : new PostgresBackend(config, onError);
  const catalogue = withPolicies(catalogueOf(jobs), policies);
  const guarded = guardedMetrics(metrics, onError);
  const queues = new Queues<Job>({
    backend,
    catalogue,
    hasJobsContract: jobs !== undefined,
    onDeadLetter,
    onError,
    metrics: guarded,
    tuning,
    startTimeoutMs,
  });
  try {
    await queues.open();
  } catch (error) {
    await queues.close(1_000);
    throw error;
  }
  return queues;
}

function withPolicies<Job>(
  catalogue: Catalogue<Job>,
  policies: { readonly [Name in QueueName]?: Partial<Policy> },
): Catalogue<Job> {
  return Object.fromEntries(
    queueNames.map((name) => [name, { ...catalogue[name], ...policies[name] }]),
  ) as unknown as Catalogue<Job>;
}

/** A counter that throws must not decide what becomes of a message. */
function guardedMetrics(metrics: QueueMetrics, onError: (error: Error) => void): QueueMetrics {
  const guard =
    <Args extends unknown[]>(hook: ((...args: Args) => void) | undefined) =>
    (...args: Args): void => {
      try {
        hook?.(...args);
      } catch (error) {
        onError(new Error('A metrics hook of the queues threw.', { cause: error }));
      }
    };
  return { sent: guard(metrics.sent), settled: guard(metrics.settled), stalled: guard(metrics.stalled) };
}
