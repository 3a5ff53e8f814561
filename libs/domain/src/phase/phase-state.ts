import type { EditedResponse } from '../fork/fork-mode.js';
import type { JsonObject } from '@phaseline/basics';
import type { Todo } from '../todo/todo.js';
import type { ToolEffect, ToolLane, ToolTraits } from '@phaseline/contracts';
import type { Spending, Unconfirmed } from '../budget/spending.js';
import type { ProgressWatch } from '../stuck/watched-step.js';
import type { Allowance } from '../budget/allowance.js';
import type { FileEntry } from './file-events.js';
import type { Completion } from './completion.js';
import type { PhaseEventData } from './phase-events.js';

/** A person's decision about a call that waited for approval. */
export interface ApprovalDecision {
  readonly actor: string;
  /** Reason for a refusal; absent if the call was approved. */
  readonly refusalReason?: string;
}

export interface CallState {
  readonly callId: string;
  readonly step: number;
  readonly name: string;
  readonly arguments: JsonObject;
  /** Names of arguments that the model gave and the tool does not know. */
  readonly ignoredArguments?: readonly string[] | undefined;
  readonly lane: ToolLane;
  readonly effect: ToolEffect;
  readonly traits: ToolTraits;
  readonly timeoutMs: number;
  /** The call that made this call; absent when the model made it. The result of a nested call is not part of the conversation. */
  readonly parent?: string | undefined;
  readonly status: 'awaiting-approval' | 'requested' | 'started' | 'completed' | 'failed' | 'denied';
  /** Until when a person may approve the call; set while it waits. */
  readonly expiresAt?: string;
  /** The person's decision, for a call that waited for approval. */
  readonly approvalDecision?: ApprovalDecision;
  /** The process that runs the call; set once a call that must not run twice has started. */
  readonly leaseOwner?: string;
  /** What the model reads; set once the call has ended. */
  readonly result?: string;
  /** Set when the result was cleared. `result` then only says so. */
  readonly cleared?: true;
}

/**
 * One entry of the phase's conversation, which is kept in order. The results of an answer's calls are in `calls` until the
 * next answer arrives; then they are moved into the entry, by call id.
 */
export type TranscriptEntry =
  | {
      readonly kind: 'answer';
      readonly answer: PhaseEventData<'ModelResponded'>;
      readonly results?: Readonly<Record<string, string>>;
      /** Decisions of people about calls that waited for approval, by call id. */
      readonly approvalDecisions?: Readonly<Record<string, ApprovalDecision>>;
      /** Ids of calls whose results were cleared. `results` then only says so. */
      readonly cleared?: readonly string[];
      /** Ids of calls whose tools are not `pure`, so that a second call may not return the same result. */
      readonly notRepeatable?: readonly string[];
    }
  | {
      readonly kind: 'notice';
      readonly text: string;
      /** Set for a message from a person, which a summary keeps verbatim. */ readonly fromPerson?: boolean;
    };

export interface OpenModelCall {
  readonly step: number;
  readonly leaseOwner: string;
  readonly epoch: number;
  readonly reservedMicroUsd: number;
  readonly reservedTokens: number;
  readonly purpose?: 'summary';
}

type PhaseEnd =
  | (PhaseEventData<'PhaseCompleted'> & { readonly kind: 'completed' })
  | (PhaseEventData<'PhaseFailed'> & { readonly kind: 'failed' })
  | (PhaseEventData<'PhaseCancelled'> & { readonly kind: 'cancelled' });

/** State of a phase, folded from its stream. */
export interface PhaseState {
  /** Version of the last event folded; 0 before the phase has started. */
  readonly version: number;
  readonly start: PhaseEventData<'PhaseStarted'>;
  readonly epoch: number;
  readonly todos: readonly Todo[];
  readonly tree: Readonly<Record<string, FileEntry>>;
  readonly transcript: readonly TranscriptEntry[];
  /** Summary that replaces the older part of the conversation. */
  readonly summary?: string;
  /** Number of times that the conversation was summarised. */
  readonly summaries?: number;
  /** Last step whose answer is sent without its reasoning; the same holds for all earlier answers. */
  readonly reasoningClearedTo?: number;
  /** Messages from people that no model call has contained yet. */
  readonly pendingNotices: readonly TranscriptEntry[];
  /** Calls of the last answer, and calls that they made, by id. */
  readonly calls: Readonly<Record<string, CallState>>;
  /** Ids of the last answer's calls, in the order given by the model. */
  readonly lastAnswerCalls: readonly string[];
  /** Tools found on demand, in the order in which they were found. */
  readonly loaded?: readonly string[];
  readonly openModelCall?: OpenModelCall | undefined;
  /** Outage of the model server during which the open call is retried. */
  readonly awaitedModel?: PhaseEventData<'ModelAwaited'> | undefined;
  readonly proposal?: Completion | undefined;
  /** Set when the list was abandoned, by the agent or by the system. */
  readonly rewound?: PhaseEventData<'TodosRewound'> | undefined;
  readonly spending: Spending;
  /** Reservations of attempts whose answer was lost. They may have been charged, so they count against the caps. */
  readonly unconfirmed: Unconfirmed;
  /** What the phase may still use. A resume moves its deadline. */
  readonly allowance: Allowance;
  readonly paused?: PhaseEventData<'PhasePaused'> | undefined;
  /** Number of workers lost in a row during the open model call. */
  readonly takeovers: number;
  /** The last failure, and how often in a row it occurred. */
  readonly sameFailure?:
    | {
        readonly key: string;
        readonly count: number;
        /** Set for a transient failure, such as a busy server. */
        readonly passing?: true;
      }
    | undefined;
  /** Number of times that the agent stopped and was told to continue, since it last completed a todo or worked for a while without stopping. */
  readonly nudges: number;
  /** Number of steps with calls since the last nudge. */
  readonly stepsSinceNudge?: number | undefined;
  /** What stuck detection remembers of the last steps. */
  readonly watch?: ProgressWatch;
  readonly rejections: number;
  /** Number of calls denied in a row. A call that runs resets it. */
  readonly deniedCallsInARow: number;
  /** In a fork: an answer written by a person that replaces the next answer of the model. */
  readonly editedResponse?: EditedResponse | undefined;
  readonly end?: PhaseEnd;
}

/** Ids of calls whose results were cleared and whose answers are still part of the conversation. */
export function findClearedCalls({ transcript, calls }: PhaseState): ReadonlySet<string> {
  const inTranscript = transcript.flatMap((entry) => (entry.kind === 'answer' ? (entry.cleared ?? []) : []));
  const inLastAnswer = Object.values(calls).flatMap(({ callId, cleared }) => (cleared ? [callId] : []));
  return new Set([...inTranscript, ...inLastAnswer]);
}

export function hasCallEnded(call: CallState): boolean {
  return call.status === 'completed' || call.status === 'failed' || call.status === 'denied';
}

/** The calls of the last answer, and the calls that they made. */
export function listCalls(state: PhaseState): readonly CallState[] {
  return Object.values(state.calls);
}

/** The admitted calls of the last answer, in the order given by the model. */
export function listLastAnswerCalls(state: PhaseState): readonly CallState[] {
  return state.lastAnswerCalls.flatMap((callId) => state.calls[callId] ?? []);
}
