export { EventStore, type EventStoreOptions } from './event-store.js';
export type { AppendOptions, Blobs, EventLog } from './event-log.js';
export type { CheckEvent } from './append/check-event.js';
export { validateUnit } from './append/validate-unit.js';
export type { AppendResult, BlobWrite, NewEvent, StreamAppend } from './append/append-types.js';
export {
  CorrelationMismatch,
  DuplicateEventId,
  StreamClosed,
  UnreadableAppend,
  WrongExpectedVersion,
} from './append/append-errors.js';
export type { ReadCorrelationOptions, ReadOptions } from './read/event-reader.js';
export type { EventContent } from './read/page-reader.js';
export type { RecordedEvent } from './read/recorded-event.js';
export type { OpenStreamsOptions, StreamHead } from './read/stream-heads.js';
export type { JobBlobs } from './blobs/job-blobs.js';
export { BlobStore } from './blobs/blob-store.js';
export { ContentHash, contentHash, computePiecesHash } from './blobs/content-hash.js';
export { PIECE_BYTES } from './blobs/piece.js';
export { collectBlobs } from './blobs/collect-blobs.js';
export { LargeTextMissing } from './large-text/large-text-errors.js';
export { getLargeTexts, insertLargeTexts } from './large-text/large-text.js';
export { BlobCorrupt, BlobNotStored } from './blobs/blob-errors.js';
export { CHAIN_START, eventHash, type HashedEvent } from './chain/canonical-event.js';
export { FOLLOWERS_OF_END, isStreamEnd, canFollow } from './chain/stream-end.js';
export { verifyChain, type ChainReport } from './chain/verify-chain.js';
export { DEFAULT_SOURCE, toArchivedCloudEventLine, toCloudEventLine } from './chain/cloud-event.js';
export { copyRows } from './chain/copy-rows.js';
export { BinaryEvent, EVENT_COLUMN_COUNT, EVENT_COLUMNS_BINARY } from './chain/binary-event.js';
export type { ArchiveStore } from './cold/archive-store.js';
export { isArchiveUnreadable } from './cold/cold-errors.js';
export { FolderArchives } from './cold/folder-archives.js';
export { ColdStorage, readColdEvents } from './cold/cold-storage.js';
export { openColdStorage } from './cold/open-cold-storage.js';
export { makeArchive, verifyStoredArchive } from './cold/make-archive.js';
export type { StoredEvent } from './chain/diagnose-stream.js';
export { DatabaseUnreachable, isUnreachable, sqlState, throwDatabaseError } from './database/database-errors.js';
export { queryRows } from './database/query-rows.js';
export { toQueryable, type Queryable } from './database/queryable.js';
export { runInSnapshot, runInTransaction } from './database/transaction.js';
export { findExcessRights } from './database/excess-rights.js';
export { createPool } from './database/pool.js';
export type { EventStoreTables } from './database/tables.js';
export { waitForDatabase } from './database/wait-for-database.js';
export { isEncryptedCorrelation } from './encryption/encrypted-correlation.js';
export { MasterKeys } from './encryption/master-keys.js';
export { rewrapKeys } from './encryption/rewrap-keys.js';
export { ContentErased, MasterKeyMissing, DecryptionFailed } from './encryption/encryption-errors.js';
export { migrate } from './migrations/migrate.js';
export { readMigrationFiles } from './migrations/migration-files.js';
export { RELEASE } from './release.js';
export { UnmirroredFiles, listUnmirroredFiles, type MirroredFile } from './mirror/unmirrored-files.js';
export { backUp, type CopyProgress } from './backup/back-up.js';
export { restoreBackup } from './backup/restore.js';
export { readLatestTailPosition } from './tail/subscription-progress.js';
export { getTailRounds, type TailRounds } from './tail/tail-rounds.js';
export { estimateHandledEvents, readTailLag, type TailLag } from './tail/tail-lag.js';
export { removeSubscription } from './tail/remove-subscription.js';
export { Subscription } from './tail/subscription.js';
export type { SubscriptionOptions } from './tail/subscription-options.js';
export { compareTailPositions, type TailPosition } from './tail/tail-position.js';
export { appendBench, type AppendBenchFigures } from './bench/append-bench.js';
export { createKysely } from './database/kysely.js';
export type { DeadLettersTable, QuarantineTable } from './database/tables.js';
