import { CodedError } from '@phaseline/basics';
import type { QueuedMessageId } from '@phaseline/contracts';

/** Base class of the errors of this library. `code` is stable; `retryable` says whether the same call may succeed later. */
export abstract class QueueError extends CodedError {
  readonly retryable: boolean = false;
}

/** A payload, id or option does not match the contract of the queue. Nothing was sent. */
export class InvalidMessage extends QueueError {
  readonly code = 'queue_invalid_message';

  constructor(
    readonly queue: string,
    readonly problem: string,
  ) {
    super(`${queue}: ${problem}`);
  }
}

/** The queue server cannot be reached or refused the operation. Whether a message was stored is unknown. */
export class QueueUnavailable extends QueueError {
  readonly code = 'queue_unavailable';
  override readonly retryable = true;

  constructor(
    readonly backend: string,
    readonly doing: string,
    cause: unknown,
  ) {
    super(
      `The queue server (${backend}) failed while ${doing}: ${messageOf(cause)}. Check that it is running and that the URL and the login are correct.`,
      { cause },
    );
  }
}

/** The queue tables are missing, or this login may not use them. */
export class QueuesNotMigrated extends QueueError {
  readonly code = 'queue_not_migrated';

  constructor(problem: string) {
    super(`${problem} Run the migrations (migrateQueues) as the owner of the database, then start again.`);
  }
}

/** The pool has too few connections. Every worker occupies one; with none left, a send would wait forever. */
export class QueuePoolTooSmall extends QueueError {
  readonly code = 'queue_pool_too_small';

  constructor(
    readonly max: number,
    readonly needed: number,
  ) {
    super(
      `The connection pool of the queues has ${max} connections but needs ${needed}: one per worker to listen on, and some for queries. Increase its maximum to ${needed}.`,
    );
  }
}

/** The queues were used after `close` was called. */
export class QueuesClosed extends QueueError {
  readonly code = 'queue_closed';

  constructor() {
    super('The queues of this process are closed. Create new ones.');
  }
}

/** The backend cannot send inside a PostgreSQL transaction. */
export class TransactionsUnsupported extends QueueError {
  readonly code = 'queue_transactions_unsupported';

  constructor() {
    super(
      'Only the PostgreSQL backend can send inside a transaction. Check `isTransactional` first; if it is false, commit and then send.',
    );
  }
}

/** Abort reason of a handler's signal: this process is shutting down. An unfinished message is delivered again. */
export class QueueClosing extends QueueError {
  readonly code = 'queue_closing';
  override readonly retryable = true;

  constructor() {
    super('The worker is shutting down; the message will be delivered again.');
  }
}

/** Abort reason of a handler's signal: the message's lock was not renewed in time. */
export class LockLost extends QueueError {
  readonly code = 'queue_lock_lost';
  override readonly retryable = true;

  constructor(
    readonly queue: string,
    readonly messageId: QueuedMessageId,
  ) {
    super(
      `The lock of message ${messageId} (${queue}) is lost: another worker may be handling the message. Stop without writing.`,
    );
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
