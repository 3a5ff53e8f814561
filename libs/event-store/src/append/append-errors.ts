/** The stream has moved on (or is not as far as the caller believes). Read it again, decide again, append again. */
export class WrongExpectedVersion extends Error {
  readonly code = 'WRONG_EXPECTED_VERSION';
  override readonly name = 'WrongExpectedVersion';

  constructor(
    readonly streamId: string,
    readonly expected: number | 'any',
    /** 0 when the stream does not exist. */
    readonly actual: number,
  ) {
    super(`stream ${streamId} is at version ${actual}, not ${expected}: read it again and decide again`);
  }
}

/** The stream had its last word (`closesStream`) already. */
export class StreamClosed extends Error {
  readonly code = 'STREAM_CLOSED';
  override readonly name = 'StreamClosed';

  constructor(
    readonly streamId: string,
    readonly version: number,
  ) {
    super(`stream ${streamId} was closed at version ${version}: nothing can be appended to it`);
  }
}

/** Some of the unit's events are in the log and others are not, or they are in another stream. Event ids were reused. */
export class DuplicateEventId extends Error {
  readonly code = 'DUPLICATE_EVENT_ID';
  override readonly name = 'DuplicateEventId';

  constructor(
    readonly streamId: string,
    readonly eventId: string,
  ) {
    super(
      `event ${eventId} for stream ${streamId} is in the log already, but not together with the others of its append: give every new event a new id`,
    );
  }
}

/** A stream belongs to the correlation of its first event. */
export class CorrelationMismatch extends Error {
  readonly code = 'CORRELATION_MISMATCH';
  override readonly name = 'CorrelationMismatch';

  constructor(
    readonly streamId: string,
    readonly correlationId: string,
  ) {
    super(
      `stream ${streamId} does not belong to correlation ${correlationId}: append to it under the correlation it was begun with`,
    );
  }
}

/** The append cannot be right whatever the log holds; nothing was sent. A mistake of the calling code. */
export class InvalidAppend extends Error {
  readonly code: string = 'INVALID_APPEND';
  override readonly name = 'InvalidAppend';
}

/** The event could not be read back, by the check that the store was opened with; nothing was sent. */
export class UnreadableAppend extends InvalidAppend {
  override readonly code = 'UNREADABLE_APPEND';

  constructor(
    readonly streamId: string,
    readonly type: string,
    /** Withheld where the job is encrypted: it may name what the event holds. */
    problem: string | undefined,
  ) {
    super(
      `a ${type} for stream ${streamId} is refused, since it could not be read back${problem === undefined ? '' : `: ${problem}`}`,
    );
  }
}

/** `appendWithin` was called in a transaction that had written before. The order of positions would not hold. */
export class AppendNotFirstWrite extends Error {
  readonly code = 'APPEND_NOT_FIRST_WRITE';
  override readonly name = 'AppendNotFirstWrite';

  constructor(cause: unknown) {
    super('the append must be the first write of its transaction: append first, then write the rest', { cause });
  }
}

/** `append` was called after `close`. */
export class EventStoreClosed extends Error {
  readonly code = 'EVENT_STORE_CLOSED';
  override readonly name = 'EventStoreClosed';

  constructor() {
    super('the event store is closed: this process is shutting down');
  }
}
