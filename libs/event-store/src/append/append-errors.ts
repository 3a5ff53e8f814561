import { CodedError } from '@phaseline/basics';
import type { EventId, JobId, StreamId } from '@phaseline/contracts';

/** The stream is not at the version that the caller expected. Read it again, decide again, and append again. */
export class WrongExpectedVersion extends CodedError {
  readonly code = 'wrong_expected_version';

  constructor(
    readonly streamId: StreamId,
    readonly expected: number | 'any',
    /** 0 when the stream does not exist. */
    readonly actual: number,
  ) {
    super(`stream ${streamId} is at version ${actual}, not ${expected}: read it again and decide again`);
  }
}

/** The stream was closed by an earlier append (`closesStream`). */
export class StreamClosed extends CodedError {
  readonly code = 'stream_closed';

  constructor(
    readonly streamId: StreamId,
    readonly version: number,
  ) {
    super(`stream ${streamId} was closed at version ${version}: nothing can be appended to it`);
  }
}

/** Event ids were reused: only some events of the append are in the log, or they are in another stream. */
export class DuplicateEventId extends CodedError {
  readonly code = 'duplicate_event_id';

  constructor(
    readonly streamId: StreamId,
    readonly eventId: EventId,
  ) {
    super(
      `event ${eventId} for stream ${streamId} is already in the log, but not together with the other events of this append: use a new id for every new event`,
    );
  }
}

/** The stream belongs to another correlation: that of its first event. */
export class CorrelationMismatch extends CodedError {
  readonly code = 'correlation_mismatch';

  constructor(
    readonly streamId: StreamId,
    readonly correlationId: JobId,
  ) {
    super(
      `stream ${streamId} does not belong to correlation ${correlationId}: append to it with the correlation of its first event`,
    );
  }
}

/** The append is invalid regardless of the content of the log: a mistake of the calling code. Nothing was sent. */
export class InvalidAppend extends CodedError {
  readonly code: string = 'invalid_append';
  override readonly name = 'InvalidAppend';
}

/** `checkEvent` of the store rejected an event because it could not be read back. Nothing was sent. */
export class UnreadableAppend extends InvalidAppend {
  override readonly code = 'unreadable_append';

  constructor(
    readonly streamId: StreamId,
    readonly type: string,
    /** Undefined for encrypted jobs, because it may reveal the content of the event. */
    problem: string | undefined,
  ) {
    super(
      `event ${type} for stream ${streamId} was rejected because it could not be read back${problem === undefined ? '' : `: ${problem}`}`,
    );
  }
}

/** `appendWithin` was called in a transaction that had already written, which would break the order of positions. */
export class AppendNotFirstWrite extends CodedError {
  readonly code = 'append_not_first_write';

  constructor(cause: unknown) {
    super('the append must be the first write of its transaction: append first, then write the rest', { cause });
  }
}

/** `append` was called after `close`. */
export class EventStoreClosed extends CodedError {
  readonly code = 'event_store_closed';

  constructor() {
    super('the event store is closed: this process is shutting down');
  }
}
