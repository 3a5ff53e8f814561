export { EventStore, type EventStoreOptions, type EncryptionOptions } from './event-store.js';
export type { AppendOptions, Blobs, EventLog } from './event-log.js';
export type { CheckedEvent, CheckEvent } from './append/check-event.js';
export { validateUnit } from './append/validate-unit.js';
export type { AppendResult, BlobWrite, NewEvent, StreamAppend } from './append/append-types.js';
export {
  AppendNotFirstWrite,
  CorrelationMismatch,
  DuplicateEventId,
  EventStoreClosed,
  InvalidAppend,
  StreamClosed,
  UnreadableAppend,
  WrongExpectedVersion,
} from './append/append-errors.js';
export type { ReadCorrelationOptions, ReadOptions } from './read/event-reader.js';
export type { RecordedEvent } from './read/recorded-event.js';
export type { OpenStreamsOptions, StreamHead } from './read/stream-heads.js';
export { BlobStore } from './blobs/blob-store.js';
export type { ByteRange, JobBlobs, StoredBlob } from './blobs/job-blobs.js';
export { ContentHash, contentHash, computePiecesHash, type HashedPiece } from './blobs/content-hash.js';
export { PIECE_BYTES, splitIntoPieces } from './blobs/piece.js';
export { collectBlobs, type CollectBlobsOptions, type CollectedBlobs } from './blobs/collect-blobs.js';
export { LargeTextMissing } from './large-text/large-text-errors.js';
export { LARGE_TEXT_CHARACTERS, LARGE_TEXTS_KEY, getLargeTexts, type LargeText } from './large-text/large-text.js';
export { BlobCorrupt, BlobMismatch, BlobNotStored, BlobTooLarge } from './blobs/blob-errors.js';
export { canonicalEvent, CHAIN_START, eventHash, type HashedEvent } from './chain/canonical-event.js';
export { FOLLOWERS_OF_END, isStreamEnd, canFollow } from './chain/stream-end.js';
export type { ChainProblem, ChainProblemKind } from './chain/chain-problem.js';
export { verifyChain, type ChainReport, type VerifyChainOptions } from './chain/verify-chain.js';
export { copyRows, type BinaryRow } from './chain/copy-rows.js';
export { BinaryEvent, EVENT_COLUMN_COUNT, EVENT_COLUMNS_BINARY } from './chain/binary-event.js';
export { DatabaseUnreachable, isUnreachable, mapDatabaseError, sqlState } from './database/database-errors.js';
export { findExcessRights } from './database/excess-rights.js';
export { createPool, type PoolOptions } from './database/pool.js';
export type { EventStoreTables } from './database/tables.js';
export { waitForDatabase, type WaitForDatabaseOptions } from './database/wait-for-database.js';
export { isEncryptedCorrelation } from './sealed/encrypted-correlation.js';
export { MasterKeys } from './sealed/master-keys.js';
export { JobKeys, KEY_CACHE_MS, type JobKeyLookup } from './sealed/job-keys.js';
export { rewrapKeys, type RewrappedKeys } from './sealed/rewrap-keys.js';
export { ENCRYPTED_DATA_KEY, type Redact } from './sealed/encrypt-unit.js';
export { ContentErased, MasterKeyInvalid, MasterKeyMissing, DecryptionFailed } from './sealed/encryption-errors.js';
export type { Wakeups } from './tail/wakeups.js';
export { migrate, type MigrateOptions } from './migrations/migrate.js';
export { defaultMigrationsDirectory, readMigrationFiles, type MigrationFile } from './migrations/migration-files.js';
export { MigrationChanged, MigrationFailed, MigrationFolderInvalid } from './migrations/migration-errors.js';
export { RELEASE } from './release.js';
export {
  UnmirroredFiles,
  listUnmirroredFiles,
  type MirroredFile,
  type UnmirroredFile,
} from './mirror/unmirrored-files.js';
export { backUp, type BackupSummary, type BackUpOptions, type CopyProgress } from './backup/back-up.js';
export { BackupUnusable, RestoreRefused } from './backup/backup-errors.js';
export { restoreBackup, type RestoreOptions, type RestoreSummary } from './backup/restore.js';
export {
  readLatestTailPosition,
  readSubscriptionProgress,
  type PartitionProgress,
} from './tail/subscription-progress.js';
export { getTailRounds, type TailRounds } from './tail/tail-rounds.js';
export { estimateHandledEvents, readTailLag, type TailLag } from './tail/tail-lag.js';
export { Subscription } from './tail/subscription.js';
export type { Handler, HandlerContext, SubscriptionOptions, TransactionHandler } from './tail/subscription-options.js';
export { LeaseLost, PartitionsDiffer } from './tail/tail-errors.js';
export { compareTailPositions, TAIL_START, type TailPosition } from './tail/tail-position.js';
export { appendBench, type AppendBenchFigures } from './bench/append-bench.js';
export { createKysely } from './database/kysely.js';
export type { DeadLettersTable, QuarantineTable } from './database/tables.js';
