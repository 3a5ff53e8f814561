import { CodedError } from '@phaseline/basics';
import type { StreamId } from '@phaseline/contracts';
import { isFromNewerRelease, UndecodableEvent } from '@phaseline/domain';
import { LargeTextMissing } from '@phaseline/event-store';
import { ContentWithheld } from './content-withheld.js';
import { LineageBroken } from './lineage-broken.js';

/** Thrown if the events of a stream can be decoded but not folded into a state. */
class UnfoldableStream extends CodedError {
  readonly code = 'unfoldable_stream';
  constructor(
    readonly streamId: StreamId,
    cause: unknown,
  ) {
    super(
      `stream ${streamId} cannot be folded: ${cause instanceof Error ? cause.message : String(cause)}. ` +
        'Check the log with `phaseline audit verify`.',
      { cause },
    );
  }
}

const UNREADABLE_CODES: ReadonlySet<string> = new Set([
  'undecodable_event',
  'lineage_broken',
  'unfoldable_stream',
  'large_text_missing',
]);

/**
 * Whether the error means that a job is unreadable, so that retrying does not help. An event of a newer release does not
 * count, because a process of that release can read it.
 */
export function isUnreadableJob(error: unknown): error is Error {
  if (isFromNewerRelease(error)) return false;
  if (error instanceof ContentWithheld) return UNREADABLE_CODES.has(error.code);
  return (
    error instanceof UndecodableEvent ||
    error instanceof UnfoldableStream ||
    error instanceof LineageBroken ||
    error instanceof LargeTextMissing
  );
}

/** Runs a fold and wraps any error in UnfoldableStream. */
export function wrapFoldErrors<State>(streamId: StreamId, fold: () => State): State {
  try {
    return fold();
  } catch (error) {
    throw new UnfoldableStream(streamId, error);
  }
}
