import type { EditedAnswer } from '../fork/fork-mode.js';
import type { JsonObject } from '../json.js';
import type { Todo } from '../todo/todo.js';
import type { ToolEffect, ToolLane } from '../tool-call/tool-spec.js';
import type { Spending, Unsettled } from '../budget/spending.js';
import type { ProgressWatch } from '../stuck/progress-watch.js';
import type { Allowance, Completion, PhaseEventData } from './phase-events.js';

/** What a person decided about a call that waited for one. */
export interface Judgement {
  readonly actor: string;
  /** Why it must not be run; absent where it was allowed. */
  readonly refused?: string;
}

export interface CallState {
  readonly callId: string;
  readonly step: number;
  readonly name: string;
  readonly arguments: JsonObject;
  /** Names of arguments that the model gave and the tool does not know. */
  readonly ignored?: readonly string[] | undefined;
  readonly lane: ToolLane;
  readonly effect: ToolEffect;
  readonly timeoutMs: number;
  /** The call that asked for it, where it was not the model. Its result is not part of the conversation. */
  readonly parent?: string | undefined;
  readonly status: 'awaiting-approval' | 'requested' | 'started' | 'completed' | 'failed' | 'denied';
  /** Until when a person may allow it, while it waits for one. */
  readonly expiresAt?: string;
  /** What a person said to it, once it waited for one. */
  readonly judgement?: Judgement;
  /** Who runs it, once a call that must not run twice has started. */
  readonly holder?: string;
  /** What the model reads, once the call has ended. */
  readonly result?: string;
  /** The result was taken out again; `result` then only says so. */
  readonly cleared?: true;
}

/**
 * What stands in the phase's conversation, in order. The results of an answer's calls, by call id, are moved into it when
 * the next answer comes; until then they stand in `calls`.
 */
export type TranscriptEntry =
  | {
      readonly kind: 'answer';
      readonly answer: PhaseEventData<'ModelResponded'>;
      readonly results?: Readonly<Record<string, string>>;
      /** What people said to calls that waited for them, by call id. */
      readonly judgements?: Readonly<Record<string, Judgement>>;
      /** Calls whose results were cleared; `results` then only says so. */
      readonly cleared?: readonly string[];
    }
  | {
      readonly kind: 'notice';
      readonly text: string;
      /** Survives a summary word for word: a person said it. */ readonly kept?: boolean;
    };

export interface OpenModelCall {
  readonly step: number;
  readonly holder: string;
  readonly epoch: number;
  readonly reservedMicroUsd: number;
  readonly reservedTokens: number;
  readonly purpose?: 'summary';
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
  /** What the model wrote in place of the older part of the conversation. */
  readonly summary?: string;
  /** How often it was written. */
  readonly summaries?: number;
  /** Answers up to this step are sent without their reasoning. */
  readonly reasoningClearedTo?: number;
  /** What people said and no model call has carried yet. */
  readonly pendingNotices: readonly TranscriptEntry[];
  /** The calls of the last answer, by id. */
  readonly calls: Readonly<Record<string, CallState>>;
  /** Ids of the calls of the last answer, in the order the model gave them. */
  readonly lastAnswerCalls: readonly string[];
  /** Tools on demand that were found, in that order. */
  readonly loaded?: readonly string[];
  readonly openModelCall?: OpenModelCall;
  /** The outage of the model server that the open call waits for to end. */
  readonly awaitedModel?: PhaseEventData<'ModelAwaited'>;
  readonly proposal?: Completion;
  /** The list was given up, by the agent or by the machine. */
  readonly rewound?: PhaseEventData<'TodosRewound'>;
  readonly spending: Spending;
  /** What was reserved for attempts whose answer was lost. They may have been charged, so they count against the caps. */
  readonly unsettled: Unsettled;
  /** What the caps leave to the phase, as the last pause left it. */
  readonly allowance: Allowance;
  readonly paused?: PhaseEventData<'PhasePaused'>;
  /** Workers lost in a row during the open model call. */
  readonly takeovers: number;
  /** The failure that came last, and how often in a row. */
  readonly sameFailure?: {
    readonly key: string;
    readonly count: number;
    /** It is of a kind that passes by itself, such as a busy server. */
    readonly passing?: true;
  };
  /** How often the agent stopped and was told to continue, since it last completed a todo or worked for a while without stopping. */
  readonly nudges: number;
  /** Steps with calls since the last of them. */
  readonly stepsSinceNudge?: number;
  /** What of the last steps tells whether the phase goes in circles. */
  readonly watch?: ProgressWatch;
  readonly rejections: number;
  /** Calls refused in a row; a call that is run sets it back. */
  readonly badCallsInARow: number;
  /** In a fork: the answer that a person wrote in place of the next one. */
  readonly editedAnswer?: EditedAnswer;
  readonly end?: PhaseEnd;
}

/** The calls whose results were taken out of the conversation and whose answers still stand in it. */
export function clearedCalls({ transcript, calls }: PhaseState): ReadonlySet<string> {
  const settled = transcript.flatMap((entry) => (entry.kind === 'answer' ? (entry.cleared ?? []) : []));
  const open = Object.values(calls).flatMap(({ callId, cleared }) => (cleared ? [callId] : []));
  return new Set([...settled, ...open]);
}

export function hasEnded(call: CallState): boolean {
  return call.status === 'completed' || call.status === 'failed' || call.status === 'denied';
}

/** The calls of the last answer, and those that they asked for. */
export function allCalls(state: PhaseState): readonly CallState[] {
  return Object.values(state.calls);
}

/** The calls of the last answer as they stand, in the order given. Calls not yet admitted are left out. */
export function lastCalls(state: PhaseState): readonly CallState[] {
  return state.lastAnswerCalls.flatMap((callId) => state.calls[callId] ?? []);
}
