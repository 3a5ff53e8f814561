import { PostgresBackend, type PostgresBackendConfig, type PostgresPoolConfig } from './backends/postgres-backend.js';
import { RedisBackend, type RedisBackendConfig } from './backends/redis-backend.js';
import { queueNames, type ProcessId, type QueueName } from '@phaseline/contracts';
import { catalogue, type Catalogue, type Policy } from './catalogue.js';
import type { Sealing } from './hand-over/seal.js';
import type { DeadLetterSink } from './dead-letter.js';
import type { QueueMetrics } from './handler.js';
import { Queues, type QueueTuning } from './queues.js';

export type BackendConfig = PostgresBackendConfig | PostgresPoolConfig | RedisBackendConfig;

export interface QueuesOptions {
  readonly onDeadLetter: DeadLetterSink;
  /** Receives errors that no caller sees: lost connections (once per outage), lost locks, dead letters that could not be stored. Must not throw. */
  readonly onError: (error: Error) => void;
  readonly metrics?: QueueMetrics;
  /** Overrides of the catalogue's policies, for example another concurrency or fewer attempts. */
  readonly policies?: { readonly [Name in QueueName]?: Partial<Policy> };
  readonly tuning?: QueueTuning;
  /** Name of this process. With it, the process hands messages over to others and takes theirs. */
  readonly processId?: ProcessId;
  /** What the processes share to seal what they enclose with such messages. Without it, they enclose nothing. */
  readonly sealing?: Sealing | undefined;
  /** Milliseconds to wait for the server to become available. Default 30,000. */
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
 * @throws QueueUnavailable if the server does not respond in time; QueuesNotMigrated if the queue tables are missing or may not be used
 */
export async function createQueues(config: BackendConfig, options: QueuesOptions): Promise<Queues> {
  const { onDeadLetter, onError, metrics = {}, policies = {}, tuning = {}, startTimeoutMs = 30_000 } = options;
  const backend = config.backend === 'redis' ? new RedisBackend(config, onError) : new PostgresBackend(config, onError);
  const guarded = guardMetrics(metrics, onError);
  const queues = new Queues({
    backend,
    catalogue: withPolicies(policies),
    onDeadLetter,
    onError,
    metrics: guarded,
    tuning,
    startTimeoutMs,
    processId: options.processId,
    sealing: options.sealing,
  });
  try {
    await queues.open();
  } catch (error) {
    await queues.close(1_000);
    throw error;
  }
  return queues;
}

function withPolicies(policies: { readonly [Name in QueueName]?: Partial<Policy> }): Catalogue {
  // The type of `fromEntries` does not relate policies to queues.
  return Object.fromEntries(
    queueNames.map((name) => [name, { ...catalogue[name], ...policies[name] }]),
  ) as unknown as Catalogue;
}

/** Wraps the metrics hooks so that one that throws does not affect the message. */
function guardMetrics(metrics: QueueMetrics, onError: (error: Error) => void): QueueMetrics {
  const guard =
    <Args extends unknown[]>(hook: ((...args: Args) => void) | undefined) =>
    (...args: Args): void => {
      try {
        hook?.(...args);
      } catch (error) {
        onError(new Error('A metrics hook of the queues threw an error.', { cause: error }));
      }
    };
  return {
    recordSent: guard(metrics.recordSent),
    recordDelivery: guard(metrics.recordDelivery),
    recordStalled: guard(metrics.recordStalled),
  };
}
