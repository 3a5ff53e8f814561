import { isFromNewerRelease, UndecodableEvent } from '@phaseline/domain';
import { LargeTextMissing } from '@phaseline/event-store';
import { ContentWithheld } from './content-withheld.js';
import { LineageBroken } from './lineage-broken.js';

/** The events of a stream can be read one by one, and make no state. */
export class UnfoldableStream extends Error {
  override readonly name = 'UnfoldableStream';
  readonly code = 'unfoldable_stream';
  constructor(
    readonly streamId: string,
    cause: unknown,
  ) {
    super(
      `stream ${streamId} cannot be folded: ${cause instanceof Error ? cause.message : String(cause)}. ` +
        'Check the log with `phaseline audit verify`.',
      { cause },
    );
  }
}

const codes: ReadonlySet<string> = new Set([
  'undecodable_event',
  'lineage_broken',
  'unfoldable_stream',
  'LARGE_TEXT_MISSING',
]);

/**
 * Whether a job cannot be read, by this release or any that is known: trying again does not help. An event of a newer release
 * does not count, since a process of that release can read it.
 */
export function isUnreadable(error: unknown): error is Error {
  if (isFromNewerRelease(error)) return false;
  if (error instanceof ContentWithheld) return codes.has(error.code);
  return (
    error instanceof UndecodableEvent ||
    error instanceof UnfoldableStream ||
    error instanceof LineageBroken ||
    error instanceof LargeTextMissing
  );
}

/** Runs a fold, which throws nothing but UnfoldableStream. */
export function folding<State>(streamId: string, fold: () => State): State {
  try {
    return fold();
  } catch (error) {
    throw new UnfoldableStream(streamId, error);
  }
}
