/** What decoding needs of a stored event; `streamId` and `version` are for the complaint. */
export interface StoredEvent {
  readonly streamId: string;
  readonly version: number;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: unknown;
}

/** A stored event is unknown or does not have its shape. The replay stops: going on would fold a state that never was. */
export class UndecodableEvent extends Error {
  override readonly name = 'UndecodableEvent';
  readonly code = 'undecodable_event';
  constructor(
    readonly event: Pick<StoredEvent, 'streamId' | 'version' | 'type' | 'schemaVersion'>,
    problem: string,
    /** A newer release wrote it: nothing is wrong with the log, and whoever runs that release can go on. */
    readonly newer = false,
  ) {
    super(
      `event ${event.version} of stream ${event.streamId} (${event.type}, version ${event.schemaVersion}) cannot be read: ${problem}. ` +
        'Run a release that knows it, or check the log with `phaseline audit verify`.',
    );
  }
}

/**
 * Whether the work met an event of a newer release. It belongs to a process of that release then: put it back, and leave
 * the job alone.
 */
export function isFromNewerRelease(error: unknown): error is UndecodableEvent {
  return error instanceof UndecodableEvent && error.newer;
}
