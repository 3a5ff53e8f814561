/**
 * - `altered`: the event is not what was hashed when it was written.
 * - `swapped`: two events of the stream have changed places.
 * - `missing`: versions are not there, between two events or before the first.
 * - `inserted`: an event that was not appended: it has no place in the chain, the stream's head or a seal does not know it.
 * - `truncated`: the end of the stream, or all of it, is gone: its head or a seal knows later events.
 * - `rewritten`: the chain fits, and a seal says that another event stood there.
 * - `out-of-order`: the event's position is not behind that of the version before it.
 * - `after-end`: the event stands behind the end of its job or phase, where none may be.
 * - `head-mismatch`: the row in `streams` is not there, or names another hash than that of the last event, or another
 *   correlation, or says wrongly whether the stream is closed.
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
  | 'head-mismatch';

export interface ChainProblem {
  readonly kind: ChainProblemKind;
  readonly streamId: string;
  /** The version at which it shows; of `missing`: the first that is not there; of `truncated`: the last that is. */
  readonly version: number;
  /** One plain sentence. */
  readonly detail: string;
}
