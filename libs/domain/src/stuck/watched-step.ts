import type { CallId } from '@phaseline/contracts';
import type { EndedCall } from './ended-call.js';
import type { StuckPattern, StuckRung } from './stuck-settings.js';

/** One answer with its ended calls. */
export interface WatchedStep {
  readonly step: number;
  /** The calls of the answer, including those that have not ended. */
  readonly callIds: readonly CallId[];
  readonly ended: readonly WatchedCall[];
}

interface WatchedCall {
  readonly call: EndedCall;
  /** Set when the result was cleared from the conversation, so that asking again makes sense. */
  readonly isCleared?: true;
}

/**
 * What a phase remembers of its last steps, so that circles are detected even after results were cleared or summarised. The fold
 * only records it. It is interpreted when a decision is due, because a log is folded far more often.
 */
export interface ProgressWatch {
  readonly steps: readonly WatchedStep[];
  /** Fingerprints of files written by calls that have not ended, by call id. */
  readonly files: Readonly<Record<string, readonly number[]>>;
  /** Streaks are counted from the step after this one: that of the last completed todo, message of a person, or rung. */
  readonly streaksAfterStep: number;
  /** The last step at which something was achieved. */
  readonly lastProgressStep: number;
  /** Rungs taken since then. */
  readonly rungs: readonly StuckRung[];
  /** Patterns about which the agent was advised since then, although its steps did not repeat each other. */
  readonly advised?: readonly StuckPattern[];
}
