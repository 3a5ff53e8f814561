import type { StreamId } from '@phaseline/contracts';

/**
 * - `altered`: the event does not match the hash computed when it was written.
 * - `swapped`: two events of the stream were exchanged.
 * - `missing`: versions are missing between two events or before the first.
 * - `inserted`: the event was not appended: it does not belong to the chain, or the head or an anchor does not cover it.
 * - `truncated`: the end of the stream, or all of it, was removed: its head or an anchor covers later events.
 * - `rewritten`: the chain is valid, but an anchor has another hash for this version.
 * - `out-of-order`: the position of the event is not greater than that of the previous version.
 * - `after-end`: the event follows the end of its job or phase, where no event is allowed.
 * - `archive-unreadable`: the stream is in cold storage, and its archive is missing, altered or not accessible.
 * - `head-mismatch`: the row in `streams` is missing, or has the wrong hash, correlation or closed flag.
 */
export type ChainProblemKind =
  | 'altered'
  | 'swapped'
  | 'missing'
  | 'inserted'
  | 'truncated'
  | 'rewritten'
  | 'out-of-order'
  | 'after-end'
  | 'archive-unreadable'
  | 'head-mismatch';

export interface ChainProblem {
  readonly kind: ChainProblemKind;
  readonly streamId: StreamId;
  /** Version of the affected event. For `missing` the first missing version, for `truncated` the last remaining one. */
  readonly version: number;
  /** Description for people. */
  readonly detail: string;
}
