import type { JsonObject } from '../json.js';
import type { Spending } from '../budget/spending.js';
import type { Todo } from '../todo/todo.js';
import type { ToolEffect, ToolLane } from '../tool-call/tool-spec.js';
import type { Completion, PhaseEventData } from './phase-events.js';

export interface CallState {
  readonly callId: string;
  readonly step: number;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly lane: ToolLane;
  readonly effect: ToolEffect;
  readonly timeoutMs: number;
  readonly status: 'requested' | 'started' | 'completed' | 'failed' | 'denied';
  /** Who runs it, once a call that must not run twice has started. */
  readonly holder?: string;
  /** What the model reads, once the call has ended. */
  readonly result?: string;
}

/** What stands in the phase's conversation, in order. Results of calls are found under their id. */
export type TranscriptEntry =
  | { readonly kind: 'answer'; readonly answer: PhaseEventData<'ModelResponded'> }
  | { readonly kind: 'notice'; readonly text: string };

export interface OpenModelCall {
  readonly step: number;
  readonly holder: string;
  readonly epoch: number;
  readonly reservedMicroUsd: number;
  readonly reservedTokens: number;
}

export type PhaseEnd =
  | (PhaseEventData<'PhaseCompleted'> & { readonly kind: 'completed' })
  | (PhaseEventData<'PhaseFailed'> & { readonly kind: 'failed' })
  | (PhaseEventData<'PhaseCancelled'> & { readonly kind: 'cancelled' });

/** A phase as its stream tells it. Never stored: always folded. */
export interface PhaseState {
  /** Version of the last event folded; 0 before the phase has started. */
  readonly version: number;
  readonly start: PhaseEventData<'PhaseStarted'>;
  readonly epoch: number;
  readonly todos: readonly Todo[];
  readonly tree: Readonly<Record<string, { readonly hash: string; readonly size: number }>>;
  readonly transcript: readonly TranscriptEntry[];
  readonly calls: Readonly<Record<string, CallState>>;
  /** Ids of the calls of the last answer, in the order the model gave them. */
  readonly lastAnswerCalls: readonly string[];
  readonly openModelCall?: OpenModelCall;
  readonly proposal?: Completion;
  readonly spending: Spending;
  readonly nudges: number;
  readonly rejections: number;
  /** Calls refused in a row; a call that is run sets it back. */
  readonly badCallsInARow: number;
  readonly end?: PhaseEnd;
}

export function hasEnded(call: CallState): boolean {
  return call.status === 'completed' || call.status === 'failed' || call.status === 'denied';
}

/** The calls of the last answer as they stand, in the order given. Calls not yet admitted are left out. */
export function lastCalls(state: PhaseState): readonly CallState[] {
  return state.lastAnswerCalls.flatMap((callId) => state.calls[callId] ?? []);
}
