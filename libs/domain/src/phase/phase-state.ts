import type { CallId } from '@phaseline/contracts';
import type { Turn } from '../budget/turn.js';
import type { PhaseEventData } from './phase-events.js';
import type { CallState, PhaseCalls } from './state/calls.js';
import type { PhaseClaims } from './state/claims.js';
import type { PhaseConversation } from './state/conversation.js';
import type { PhaseEnd } from './state/end.js';
import type { PhaseGuards } from './state/guards.js';
import type { GuardWaits } from './state/guard-waits.js';
import type { PhaseModelCall } from './state/model-call.js';
import type { PhaseMoney } from './state/money.js';
import type { PhasePause } from './state/pause.js';
import type { PhaseReflexion } from './state/reflexion.js';
import type { PhaseTally } from './state/tally.js';
import type { PhaseTodos } from './state/todos.js';
import type { PhaseTree } from './state/tree.js';
import type { PhaseWork } from './state/work.js';

/** State of a phase, folded from its stream. Each group has a file with its type and its fold in the folder `state`. */
export interface PhaseState {
  /** Version of the last event folded. */
  readonly version: number;
  readonly start: PhaseEventData<'PhaseStarted'>;
  readonly conversation: PhaseConversation;
  readonly calls: PhaseCalls;
  readonly todos: PhaseTodos;
  readonly tree: PhaseTree;
  readonly money: PhaseMoney;
  readonly modelCall: PhaseModelCall;
  readonly guards: PhaseGuards;
  readonly tally: PhaseTally;
  readonly work: PhaseWork;
  readonly claims: PhaseClaims;
  readonly guardWaits: GuardWaits;
  /** What was used since the last input of a person; absent if the agent has no limits of turns. */
  readonly turn?: Turn | undefined;
  /** What the model answered about the failed attempt before; absent if it was not asked. */
  readonly reflexion?: PhaseReflexion | undefined;
  readonly paused?: PhasePause | undefined;
  readonly end?: PhaseEnd | undefined;
}

/** Ids of calls whose results were cleared and whose answers are still part of the conversation. */
export function findClearedCalls({ conversation, calls }: PhaseState): ReadonlySet<CallId> {
  const inTranscript = conversation.transcript.flatMap((entry) =>
    entry.kind === 'answer' ? (entry.cleared ?? []) : [],
  );
  const inLastAnswer = Object.values(calls.byId).flatMap(({ callId, cleared }) => (cleared ? [callId] : []));
  return new Set([...inTranscript, ...inLastAnswer]);
}

/** The calls of the last answer, and the calls that they made. */
export function listCalls(state: PhaseState): readonly CallState[] {
  return Object.values(state.calls.byId);
}

/** The calls of the last answer, in the order given by the model. */
export function listLastAnswerCalls({ calls }: PhaseState): readonly CallState[] {
  return calls.lastResponseCallIds.flatMap((callId) => calls.byId[callId] ?? []);
}
