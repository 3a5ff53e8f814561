import { assertNever } from '../assert-never.js';
import { addSpending, NOTHING_SPENT } from '../budget/spending.js';
import type { PhaseEvent, PhaseEventData } from './phase-events.js';
import type { CallState, PhaseState } from './phase-state.js';

/** Folds one event into the state. `state` is undefined only before `PhaseStarted`. */
export function evolvePhase(state: PhaseState | undefined, event: PhaseEvent): PhaseState {
  if (event.type === 'PhaseStarted') {
    if (state) throw new Error('a phase starts only once');
    return startedPhase(event.data);
  }
  if (!state) throw new Error(`${event.type} before PhaseStarted`);
  return { ...state, ...change(state, event), version: state.version + 1 };
}

/** Folds a whole stream, or the rest of one onto `from`. */
export function foldPhase(events: Iterable<PhaseEvent>, from?: PhaseState): PhaseState | undefined {
  let state = from;
  for (const event of events) state = evolvePhase(state, event);
  return state;
}

function startedPhase(start: PhaseEventData<'PhaseStarted'>): PhaseState {
  return {
    version: 1,
    start,
    epoch: 0,
    todos: start.todos,
    tree: start.tree,
    transcript: [],
    calls: {},
    lastAnswerCalls: [],
    spending: NOTHING_SPENT,
    nudges: 0,
    rejections: 0,
    badCallsInARow: 0,
  };
}

type Change = { -readonly [Key in keyof PhaseState]?: PhaseState[Key] | undefined };

function change(state: PhaseState, event: Exclude<PhaseEvent, { type: 'PhaseStarted' }>): Change {
  switch (event.type) {
    case 'ModelCallStarted': {
      const { step, holder, epoch, reservedMicroUsd, reservedTokens } = event.data;
      return { openModelCall: { step, holder, epoch, reservedMicroUsd, reservedTokens } };
    }
    case 'ModelResponded':
      return answered(state, event.data);
    case 'ToolCallRequested':
      return { ...withCall(state, { ...event.data, status: 'requested' }), badCallsInARow: 0 };
    case 'ToolCallDenied': {
      const { callId, step, name, message } = event.data;
      const call: CallState = {
        callId,
        step,
        name,
        arguments: {},
        lane: 'log',
        effect: 'pure',
        timeoutMs: 1,
        status: 'denied',
        result: message,
      };
      return { ...withCall(state, call), badCallsInARow: state.badCallsInARow + 1 };
    }
    case 'ToolCallStarted':
      return withCall(state, { ...callOf(state, event.data.callId), status: 'started', holder: event.data.holder });
    case 'ToolCallCompleted':
      return withCall(state, { ...callOf(state, event.data.callId), status: 'completed', result: event.data.content });
    case 'ToolCallFailed':
      return withCall(state, { ...callOf(state, event.data.callId), status: 'failed', result: event.data.message });
    case 'FileWritten': {
      const { path, hash, size } = event.data;
      return { tree: { ...state.tree, [path]: { hash, size } } };
    }
    case 'FileDeleted': {
      const { [event.data.path]: _gone, ...tree } = state.tree;
      return { tree };
    }
    case 'TodoCompleted': {
      const { todoId, note } = event.data;
      return {
        todos: state.todos.map((todo) =>
          todo.id === todoId ? { ...todo, status: 'done' as const, ...(note === undefined ? {} : { note }) } : todo,
        ),
        // Progress: a model that stopped now and then over a long phase is not one that has stopped working.
        nudges: 0,
      };
    }
    case 'JobCompletionProposed':
      return { proposal: event.data.completion };
    case 'PhaseNudged':
      return {
        nudges: state.nudges + 1,
        transcript: [...state.transcript, { kind: 'notice', text: event.data.message }],
        lastAnswerCalls: [],
      };
    case 'TransitionRejected':
      return {
        rejections: state.rejections + 1,
        proposal: undefined,
        todos: reopenLast(state),
        transcript: [...state.transcript, { kind: 'notice', text: event.data.message }],
        lastAnswerCalls: [],
      };
    case 'PhaseResumed':
      return { epoch: event.data.epoch, openModelCall: undefined };
    case 'PhaseCompleted':
      return { end: { kind: 'completed', ...event.data }, openModelCall: undefined };
    case 'PhaseFailed':
      return { end: { kind: 'failed', ...event.data }, openModelCall: undefined };
    case 'PhaseCancelled':
      return { end: { kind: 'cancelled', ...event.data }, openModelCall: undefined };
    default:
      return assertNever(event);
  }
}

function answered(state: PhaseState, answer: PhaseEventData<'ModelResponded'>): Change {
  const { inputTokens, cachedInputTokens, outputTokens } = answer.usage;
  return {
    openModelCall: undefined,
    transcript: [...state.transcript, { kind: 'answer', answer }],
    lastAnswerCalls: answer.calls.map((call) => call.callId),
    spending: addSpending(state.spending, {
      steps: 1,
      inputTokens,
      cachedInputTokens,
      outputTokens,
      costMicroUsd: answer.costMicroUsd,
    }),
  };
}

function withCall(state: PhaseState, call: CallState): Change {
  return { calls: { ...state.calls, [call.callId]: call } };
}

function callOf(state: PhaseState, callId: string): CallState {
  const call = state.calls[callId];
  if (!call) throw new Error(`call ${callId} was never requested`);
  return call;
}

/** A refused end means that the last todo was not really done. */
function reopenLast(state: PhaseState): PhaseState['todos'] {
  const last = state.todos.length - 1;
  return state.todos.map((todo, index) => (index === last ? { ...todo, status: 'open' as const } : todo));
}
