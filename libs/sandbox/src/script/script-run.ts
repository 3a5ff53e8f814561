import type { JsonObject } from '@phaseline/basics';

/** A tool call that a script makes. */
export interface ScriptCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** A call of an earlier run and how it ended. */
export interface ScriptCallResult extends ScriptCall {
  readonly isOk: boolean;
  readonly result: string;
  /** Whether the call was not admitted. Its arguments are then unknown. */
  readonly isRefused: boolean;
}

export interface ScriptLimits {
  readonly calls: number;
  readonly memoryBytes: number;
  readonly stackBytes: number;
  /** Maximum interrupts of the engine; one interrupt is several thousand steps. */
  readonly interrupts: number;
  /** Maximum promise continuations. */
  readonly promiseJobs: number;
  readonly argumentCharacters: number;
  readonly printedCharacters: number;
}

/** One run of a script from its start, with the results of the calls that it made in earlier runs. */
export interface ScriptRun {
  readonly code: string;
  readonly results: readonly ScriptCallResult[];
  readonly limits: ScriptLimits;
}

/** What the thread says before a run, so that its time limit does not count the start of the thread. */
export type RunStarted = 'started';

export type ScriptOutcome =
  | { readonly kind: 'calls'; readonly calls: readonly ScriptCall[] }
  | { readonly kind: 'returned'; readonly text: string; readonly printed: readonly string[] }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly printed: readonly string[] };
