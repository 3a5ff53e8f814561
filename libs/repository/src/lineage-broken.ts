import { CodedError } from '@phaseline/basics';
import type { StreamId } from '@phaseline/contracts';

/** Thrown if the parent event that a fork refers to is missing or changed: one of the two streams was tampered with. */
export class LineageBroken extends CodedError {
  readonly code = 'lineage_broken';
  constructor(
    readonly streamId: StreamId,
    readonly parentStreamId: StreamId,
    readonly version: number,
  ) {
    super(
      `${streamId} continues from event ${version} of ${parentStreamId}, but that event is missing from the log or has changed. ` +
        'Check the log with `phaseline audit verify`.',
    );
  }
}
