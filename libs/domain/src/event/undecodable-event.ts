import { CodedError } from '@phaseline/basics';
import type { StreamId } from '@phaseline/contracts';

/** The part of a stored event that decoding needs. `streamId` and `version` are used in error messages. */
export interface StoredEvent {
  readonly streamId: StreamId;
  readonly version: number;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: unknown;
}

/** Thrown for a stored event that is unknown or has an invalid shape. Skipping it would fold a state that never existed. */
export class UndecodableEvent extends CodedError {
  readonly code = 'undecodable_event';
  constructor(
    readonly event: Pick<StoredEvent, 'streamId' | 'version' | 'type' | 'schemaVersion'>,
    problem: string,
    /** Whether a newer release wrote the event. The log is intact then, and a process of that release can read it. */
    readonly isNewer = false,
  ) {
    super(
      `event ${event.version} of stream ${event.streamId} (${event.type}, version ${event.schemaVersion}) cannot be read: ${problem}. ` +
        'Run a release that knows it, or check the log with `phaseline audit verify`.',
    );
  }
}

/**
 * Lets a reader of many jobs pass over an event that no release can read, so that it does not delay the events of other jobs. Throws every other
 * error, also that of an event of a newer release, which that release will process.
 */
export function passOverUndecodable(error: unknown): undefined {
  if (!(error instanceof UndecodableEvent) || error.isNewer) throw error;
}

/**
 * Whether work failed because of an event of a newer release. Return the work to the queue for a process of that release,
 * and leave the job unchanged.
 */
export function isFromNewerRelease(error: unknown): error is UndecodableEvent {
  return error instanceof UndecodableEvent && error.isNewer;
}
