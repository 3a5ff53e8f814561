import { CodedError } from '@phaseline/basics';
import type { StreamId } from '@phaseline/contracts';

/** A text that an event refers to is missing: the database was damaged. */
export class LargeTextMissing extends CodedError {
  readonly code = 'large_text_missing';

  constructor(
    readonly streamId: StreamId,
    readonly version: number,
    readonly hash: string,
  ) {
    super(
      `a text of event ${version} of stream ${streamId}, blob ${hash}, is not in the database: restore it from a backup`,
    );
  }
}
