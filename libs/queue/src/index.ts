export type { PostgresBackendConfig, PostgresPoolConfig } from './backends/postgres-backend.js';
export type { QueueDepth, SqlTransaction } from './backends/queue-backend.js';
export { inspectRedis } from './backends/inspect-redis.js';
export type { RedisReport } from './backends/inspect-redis.js';
export type { RedisBackendConfig } from './backends/redis-backend.js';
export type { Policy } from './catalogue.js';
export { createProducer, ProducerRefused } from './producer-access.js';
export { createQueues } from './create-queues.js';
export type { BackendConfig, QueuesOptions } from './create-queues.js';
export type { DeadLetter, DeadLetterKind, DeadLetterSink } from './dead-letter.js';
export type { DeliveryContext, Handler, Outcome, Postponement, QueueMetrics, DeliveryResult } from './handler.js';
export { describeExcess, findExcess, JsonScan } from './json-scan.js';
export type { JsonBounds, JsonExcess } from './json-scan.js';
export { encodeMessageId } from './message-id.js';
export type { QueuedMessage } from './queued-message.js';
export { migrateQueues } from './migrate-queues.js';
export {
  InvalidMessage,
  LockLost,
  QueueClosing,
  QueueError,
  QueuePoolTooSmall,
  QueuesClosed,
  QueuesNotMigrated,
  QueueUnavailable,
  TransactionsUnsupported,
} from './queue-errors.js';
export { Queues } from './queues.js';
export type { CloseReport, OutgoingMessage, QueueTuning, QueueWorker, WorkOptions } from './queues.js';
