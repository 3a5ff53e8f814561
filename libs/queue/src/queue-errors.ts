/** Base of what this library throws. `code` is stable; `retryable` says whether the same call may succeed later. */
export abstract class QueueError extends Error {
  abstract readonly code: string;
  abstract readonly retryable: boolean;
}

/** A payload, id or option that the contract of the queue does not allow. Nothing was sent. */
export class InvalidMessage extends QueueError {
  override readonly name = 'InvalidMessage';
  readonly code = 'QUEUE_INVALID_MESSAGE';
  readonly retryable = false;

  constructor(
    readonly queue: string,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(`${queue}: ${problem}`, options);
  }
}

/** The server behind the queues cannot be reached, or refused. Whether a message was stored is not known. */
export class QueueUnavailable extends QueueError {
  override readonly name = 'QueueUnavailable';
  readonly code = 'QUEUE_UNAVAILABLE';
  readonly retryable = true;

  constructor(
    readonly backend: string,
    readonly doing: string,
    cause: unknown,
  ) {
    super(
      `The queue server (${backend}) failed while ${doing}: ${textOf(cause)}. Check that it runs, and that the URL and the login are right.`,
      { cause },
    );
  }
}

/** The database has no queue tables, or this login may not use them. */
export class QueuesNotMigrated extends QueueError {
  override readonly name = 'QueuesNotMigrated';
  readonly code = 'QUEUE_NOT_MIGRATED';
  readonly retryable = false;

  constructor(problem: string, cause?: unknown) {
    super(`${problem} Run the migrations (migrateQueues) as the owner of the database, then start again.`, { cause });
  }
}

/** Every worker pins one connection of the pool; with too few left a send would wait for ever. */
export class QueuePoolTooSmall extends QueueError {
  override readonly name = 'QueuePoolTooSmall';
  readonly code = 'QUEUE_POOL_TOO_SMALL';
  readonly retryable = false;

  constructor(
    readonly max: number,
    readonly needed: number,
  ) {
    super(
      `The pool of the queues has ${max} connections and needs ${needed}: one for each worker to listen on, and some to work with. Raise its maximum to ${needed}.`,
    );
  }
}

/** Messages of `jobs` are described by the application; this process did not pass their schema. */
export class JobsContractMissing extends QueueError {
  override readonly name = 'JobsContractMissing';
  readonly code = 'QUEUE_JOBS_CONTRACT_MISSING';
  readonly retryable = false;

  constructor() {
    super('To send to or work on the queue "jobs", pass its contract: createQueues(backend, { jobs: { schema } }).');
  }
}

/** Used after close() began. */
export class QueuesClosed extends QueueError {
  override readonly name = 'QueuesClosed';
  readonly code = 'QUEUE_CLOSED';
  readonly retryable = false;

  constructor() {
    super('The queues of this process are closed. Create new ones.');
  }
}

/** The backend cannot take part in a PostgreSQL transaction. */
export class TransactionsUnsupported extends QueueError {
  override readonly name = 'TransactionsUnsupported';
  readonly code = 'QUEUE_TRANSACTIONS_UNSUPPORTED';
  readonly retryable = false;

  constructor() {
    super(
      'Only the PostgreSQL backend can send inside a transaction. Ask `transactional` first; otherwise commit, then send.',
    );
  }
}

/** Reason of the abort signal: this process shuts down. What the handler leaves undone is delivered again. */
export class QueueClosing extends QueueError {
  override readonly name = 'QueueClosing';
  readonly code = 'QUEUE_CLOSING';
  readonly retryable = true;

  constructor() {
    super('The worker is shutting down; the message will be delivered again.');
  }
}

/** Reason of the abort signal: the message was taken from this handler because its lock could not be renewed in time. */
export class LockLost extends QueueError {
  override readonly name = 'LockLost';
  readonly code = 'QUEUE_LOCK_LOST';
  readonly retryable = true;

  constructor(
    readonly queue: string,
    readonly messageId: string,
  ) {
    super(
      `The lock of message ${messageId} (${queue}) is lost: another worker may hold the message now. Stop without writing.`,
    );
  }
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
