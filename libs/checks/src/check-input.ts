import type { JsonObject } from '@phaseline/basics';
import type { CallRecord, EventRef } from './call-record.js';
import type { Since } from './check.js';

/** A file of the workspace: the hash of its content, its size in bytes, and when it was last written (ISO 8601). */
interface CheckedFile {
  readonly hash: string;
  readonly size: number;
  readonly writtenAt: string;
}

/** The files of a workspace by path. */
type CheckedTree = Readonly<Record<string, CheckedFile>>;

/** How a run of a verifier or judge for this claim ended. */
export interface ClaimRunOutcome {
  readonly passed: boolean;
  /** Explains a failure to the model, in at most 500 characters. */
  readonly reason: string;
  readonly event: EventRef;
  /** For a verifier: inputs that the claimed files change or lack, and that were put back for its run. */
  readonly changedInputs?: readonly string[];
  /** For a verifier that compared the claimed files with those of the beginning: whether its cases prove the feature, and why not. */
  readonly proof?: { readonly proved: boolean; readonly reason: string };
}

/** Everything that checks read. The same input always has the same result. */
export interface CheckInput {
  /** Files at the time of the claim. */
  readonly tree: CheckedTree;
  /**
   * Content hash of a file at an earlier time; `undefined` if it did not exist. A phase or todo that is tried again began with its first
   * attempt; `attempt` is the beginning of this one.
   */
  hashAt(since: Since | 'attempt', path: string): string | undefined;
  /** Ended calls of the phase, oldest first. */
  readonly calls: readonly CallRecord[];
  /** Place in the history at which the current todo began. Later calls were made for it. */
  readonly todoFrom: number;
  /** Place in the history of the last write of a file since the current todo began. */
  lastWrite(path: string): number | undefined;
  /** Text of a file by its content hash; `undefined` if it is too large to be read, or no text. */
  readText(hash: string): string | undefined;
  /** JSON Schemas of the agent by path. */
  readonly schemas: Readonly<Record<string, JsonObject>>;
  /** Names of the verifiers of which the work has cases that can prove it. */
  readonly provable: readonly string[];
  /** Runs of verifiers and judges for this claim, by `getRunKey`. */
  readonly runs: ReadonlyMap<string, ClaimRunOutcome>;
}
