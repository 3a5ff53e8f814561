export { EventStore, type AppendOptions, type EventStoreOptions } from './event-store.js';
export type { AppendResult, BlobWrite, NewEvent, StreamAppend } from './append/append-types.js';
export {
  AppendNotFirstWrite,
  CorrelationMismatch,
  DuplicateEventId,
  EventStoreClosed,
  InvalidAppend,
  StreamClosed,
  WrongExpectedVersion,
} from './append/append-errors.js';
export type { ReadCorrelationOptions, ReadOptions } from './read/event-reader.js';
export type { RecordedEvent } from './read/recorded-event.js';
export type { OpenStreamsOptions, StreamHead } from './read/stream-heads.js';
export { BlobStore } from './blobs/blob-store.js';
export { BlobCorrupt, BlobMismatch } from './blobs/blob-errors.js';
export { canonicalEvent, CHAIN_START, eventHash, type HashedEvent } from './chain/canonical-event.js';
export type { ChainProblem, ChainProblemKind } from './chain/chain-problem.js';
export { verifyChain, type ChainReport, type VerifyChainOptions } from './chain/verify-chain.js';
export { ControlListener, type ControlCallback, type ControlListenerOptions } from './control/control-listener.js';
export { DatabaseUnreachable, isUnreachable, mapDatabaseError } from './database/database-errors.js';
export { createPool, type PoolOptions } from './database/pool.js';
export type { EventStoreTables } from './database/tables.js';
export { waitForDatabase, type WaitForDatabaseOptions } from './database/wait-for-database.js';
export {
  DeadLetters,
  type DeadLetter,
  type DeadLetterPage,
  type DeadPayload,
  type ListDeadLettersOptions,
  type NewDeadLetter,
} from './dead-letters/dead-letters.js';
export { migrate, type MigrateOptions } from './migrations/migrate.js';
export { defaultMigrationsDirectory, readMigrationFiles, type MigrationFile } from './migrations/migration-files.js';
export { MigrationChanged, MigrationFailed, MigrationFolderInvalid } from './migrations/migration-errors.js';
export { ProcessRegistry, type ProcessEntry, type ProcessRegistryOptions } from './processes/process-registry.js';
export { latestHorizon, subscriptionProgress, type PartitionProgress } from './tail/horizon.js';
export { Subscription } from './tail/subscription.js';
export type { Handler, HandlerContext, SubscriptionOptions, TransactionHandler } from './tail/subscription-options.js';
export { LeaseLost, PartitionsDiffer } from './tail/tail-errors.js';
export { compareTail, TAIL_START, type TailPosition } from './tail/tail-position.js';
export type { JsonObject, JsonValue } from './text/json.js';
export { wellFormed, wellFormedText } from './text/well-formed.js';
export { appendBench, type AppendBenchFigures } from './bench/append-bench.js';
