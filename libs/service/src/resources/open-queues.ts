import {
  createQueues,
  QueueError,
  type BackendConfig,
  type DeadLetterSink,
  type DeliveryResult,
  type Queues,
  type QueuesOptions,
} from '@phaseline/queue';
import type { ProcessId } from '@phaseline/contracts';
import type { Logger } from 'pino';
import type { CommonConfig } from '../config/service-config.js';
import type { Readiness } from '../health/readiness.js';
import type { Metrics } from '../metrics/metrics.js';
import { addQueueGauges } from '../metrics/queue-gauges.js';
import { QueueUnavailable } from '../startup-error.js';

/** Queue options that an app can set. The others are the same in every service. */
export type QueueSettings = Pick<QueuesOptions, 'policies' | 'tuning'>;

export interface QueueParts {
  readonly config: CommonConfig;
  readonly processId: ProcessId;
  /** Seals what processes enclose with messages. */
  readonly sealing: QueuesOptions['sealing'];
  readonly settings: QueueSettings;
  readonly onDeadLetter: DeadLetterSink;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  /** Called for every delivery that ended. */
  readonly onDelivery: (delivery: DeliveryResult) => void;
}

const WARNING_INTERVAL_MS = 3_000;

/**
 * Connects to the queues on the configured backend, and registers their metrics and their readiness check.
 * @throws QueueUnavailable if the server does not respond in time
 */
export async function openQueues({
  config,
  processId,
  sealing,
  settings,
  onDeadLetter,
  logger,
  metrics,
  readiness,
  onDelivery,
}: QueueParts): Promise<Queues> {
  const waiting = setInterval(
    () => logger.warn({ backend: config.PHASELINE_QUEUE_BACKEND }, 'waiting for the queue server'),
    WARNING_INTERVAL_MS,
  );
  try {
    const queues = await createQueues(createBackendConfig(config), {
      ...settings,
      onDeadLetter,
      onError: (error) => logger.warn({ error }, 'queue error'),
      metrics: {
        ...metrics.queueMetrics,
        recordDelivery: (delivery) => {
          metrics.queueMetrics.recordDelivery?.(delivery);
          onDelivery(delivery);
        },
      },
      startTimeoutMs: config.PHASELINE_DATABASE_WAIT_MS,
      processId,
      sealing,
    });
    readiness.register('queues', () => queues.check());
    addQueueGauges(queues, metrics);
    return queues;
  } catch (error) {
    if (error instanceof QueueError) throw new QueueUnavailable(error.message, { cause: error });
    throw error;
  } finally {
    clearInterval(waiting);
  }
}

function createBackendConfig(config: CommonConfig): BackendConfig {
  const {
    PHASELINE_QUEUE_BACKEND,
    REDIS_URL,
    PHASELINE_REDIS_PREFIX: prefix,
    PHASELINE_REDIS_CLUSTER: cluster,
    DATABASE_URL,
  } = config;
  if (PHASELINE_QUEUE_BACKEND === 'postgres' || REDIS_URL === undefined)
    return { backend: 'postgres', connectionString: DATABASE_URL };
  return { backend: 'redis', url: REDIS_URL, cluster, ...(prefix === undefined ? {} : { prefix }) };
}
