/**
 * - `altered`: the event's stored hash is not the hash of what is stored.
 * - `missing`: versions are not there, between two events or before the first.
 * - `out-of-order`: the event's position is not behind that of the version before it.
 * - `head-mismatch`: the row in `streams` and the last event do not agree; a cut tail shows like this.
 */
export type ChainProblemKind = 'altered' | 'missing' | 'out-of-order' | 'head-mismatch';

export interface ChainProblem {
  readonly kind: ChainProblemKind;
  readonly streamId: string;
  /** The version at which it shows; of `missing`: the first that is not there. */
  readonly version: number;
  /** One plain sentence. */
  readonly detail: string;
}
