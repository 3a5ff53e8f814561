import type { JsonObject } from '@phaseline/domain';

/** A call that a script makes. */
export interface ScriptAsk {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** How such a call ended. */
export interface ScriptAnswer extends ScriptAsk {
  readonly ok: boolean;
  readonly result: string;
  /** It was not admitted; its arguments are not known any more. */
  readonly refused: boolean;
}

export interface ScriptLimits {
  readonly calls: number;
  readonly memoryBytes: number;
  readonly stackBytes: number;
  /** Of some thousand steps each. */
  readonly interrupts: number;
  /** Continuations of promises. */
  readonly jobs: number;
  readonly argumentCharacters: number;
  readonly printedCharacters: number;
}

/** One run of a script, from its start, with the answers to the calls that it made in the runs before. */
export interface ScriptRun {
  readonly code: string;
  readonly answers: readonly ScriptAnswer[];
  readonly limits: ScriptLimits;
}

export type ScriptOutcome =
  | { readonly kind: 'asks'; readonly asks: readonly ScriptAsk[] }
  | { readonly kind: 'returned'; readonly text: string; readonly printed: readonly string[] }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly printed: readonly string[] };
