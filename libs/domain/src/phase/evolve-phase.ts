import { assertNever } from '@phaseline/basics';
import { addSpending, addUnconfirmed, NOTHING_SPENT, NOTHING_UNCONFIRMED } from '../budget/spending.js';
import { createForkedPhase } from '../fork/create-forked-phase.js';
import { addLoadedTools } from '../discovery/on-demand-tools.js';
import { isTransientFailure } from '../stuck/classify-result.js';
import { addTodo, startTodo } from '../todo/todo-list.js';
import { watchProgress } from '../stuck/progress-watch.js';
import type { PhaseEvent, PhaseEventData } from './phase-events.js';
import type { CallState, PhaseState, TranscriptEntry } from './phase-state.js';
import { applySummaryToTranscript, attachCallResults, clearResults } from './shorten-conversation.js';

/**
 * Folds one event into the state. `state` is undefined only before `PhaseStarted`; before `PhaseForked` it is that of the
 * parent's phase at the version that the event names.
 */
export function evolvePhase(state: PhaseState | undefined, event: PhaseEvent): PhaseState {
  if (event.type === 'PhaseStarted') {
    if (state) throw new Error('a phase starts only once');
    return createStartedPhase(event.data);
  }
  if (!state) throw new Error(`${event.type} before PhaseStarted`);
  if (event.type === 'PhaseForked') return createForkedPhase(state, event.data);
  return stateAfter(state, event, changeFor(state, event));
}

function stateAfter(state: PhaseState, event: PhaseEvent, changes: Change): PhaseState {
  const watch = watchProgress(state, event);
  return { ...state, ...changes, ...(watch ? { watch } : {}), version: state.version + 1 };
}

type MutableTree = { [path: string]: PhaseState['tree'][string] };

function changeTree(tree: MutableTree, event: Extract<PhaseEvent, { type: 'FileWritten' | 'FileDeleted' }>): void {
  if (event.type === 'FileDeleted') {
    delete tree[event.data.path];
    return;
  }
  const { path, hash, size, writtenAt } = event.data;
  // Assigning to a path such as `__proto__` would not create a property.
  const value = { hash, size, writtenAt };
  Object.defineProperty(tree, path, { value, enumerable: true, configurable: true, writable: true });
}

/** Number of transcript entries above which a fold sets aside those that no later event can change. */
const MAX_CARRIED_ENTRIES = 128;

/**
 * Folds a whole stream, or its remaining events onto `from`. Most events change only the last answer of the transcript and
 * the entries after it. Earlier entries are set aside during the fold, so that a long conversation is not copied for every
 * event. The file tree is copied once: otherwise folding a phase that wrote 20,000 files would take minutes.
 */
export function foldPhase(events: Iterable<PhaseEvent>, from?: PhaseState): PhaseState | undefined {
  let aside: TranscriptEntry[] = [];
  let state = from;
  /** A copy of the tree of `state` that only this fold can see, and may therefore change in place. */
  let ownTree: MutableTree | undefined;
  for (const event of events) {
    if (state && aside.length > 0 && shortensConversation(event)) {
      state = { ...state, transcript: [...aside, ...state.transcript] };
      aside = [];
    }
    if (state && (event.type === 'FileWritten' || event.type === 'FileDeleted')) {
      if (!ownTree || state.tree !== ownTree) ownTree = { ...state.tree };
      changeTree(ownTree, event);
      state = stateAfter(state, event, { tree: ownTree });
      continue;
    }
    state = evolvePhase(state, event);
    // The tree of a fork may be that of its parent.
    if (event.type === 'PhaseForked') ownTree = undefined;
    if (state.transcript.length <= MAX_CARRIED_ENTRIES) continue;
    const last = state.transcript.findLastIndex((entry) => entry.kind === 'answer');
    if (last <= 0) continue;
    for (const entry of state.transcript.slice(0, last)) aside.push(entry);
    state = { ...state, transcript: state.transcript.slice(last) };
  }
  return state && aside.length > 0 ? { ...state, transcript: [...aside, ...state.transcript] } : state;
}

function shortensConversation({ type }: PhaseEvent): boolean {
  return type === 'ToolResultsCleared' || type === 'ConversationSummarised';
}

function createStartedPhase(start: PhaseEventData<'PhaseStarted'>): PhaseState {
  return {
    version: 1,
    start,
    epoch: 0,
    todos: start.plan.todos,
    tree: start.workspace.tree,
    transcript: (start.notices ?? []).map(personNotice),
    pendingNotices: [],
    calls: {},
    lastAnswerCalls: [],
    spending: NOTHING_SPENT,
    unconfirmed: NOTHING_UNCONFIRMED,
    allowance: start.terms.allowance,
    takeovers: 0,
    nudges: 0,
    rejections: 0,
    deniedCallsInARow: 0,
  };
}

type Change = { -readonly [Key in keyof PhaseState]?: PhaseState[Key] };

function changeFor(state: PhaseState, event: Exclude<PhaseEvent, { type: 'PhaseStarted' | 'PhaseForked' }>): Change {
  switch (event.type) {
    case 'ModelCallStarted': {
      const { step, leaseOwner, epoch, reservedMicroUsd, reservedTokens, purpose } = event.data;
      const openModelCall = {
        step,
        leaseOwner,
        epoch,
        reservedMicroUsd,
        reservedTokens,
        ...(purpose ? { purpose } : {}),
      };
      return {
        openModelCall,
        // A summary covers only what is in the transcript; the call after it contains the messages of people.
        ...(purpose || state.pendingNotices.length === 0
          ? {}
          : { transcript: [...state.transcript, ...state.pendingNotices], pendingNotices: [] }),
      };
    }
    case 'ModelCallFailed':
      return event.data.mayBeCharged ? abandonModelCall(state) : { openModelCall: undefined };
    case 'ModelAwaited':
      return { awaitedModel: event.data };
    case 'ModelResponded':
      return applyAnswer(state, event.data);
    case 'ToolResultsCleared':
      return clearResults(state, new Set(event.data.callIds));
    case 'ReasoningCleared':
      return { reasoningClearedTo: event.data.upToStep };
    case 'ConversationSummarised':
      return applySummary(state, event.data);
    case 'ToolCallRequested':
      return { ...withCall(state, { ...event.data, status: 'requested' }), deniedCallsInARow: 0 };
    case 'ApprovalRequested':
      return { ...withCall(state, { ...event.data, status: 'awaiting-approval' }), deniedCallsInARow: 0 };
    case 'ApprovalGranted': {
      const { callId, actor } = event.data;
      const { expiresAt: _over, ...call } = callOf(state, callId);
      return withCall(state, { ...call, status: 'requested', approvalDecision: { actor } });
    }
    case 'ApprovalRefused': {
      const { callId, actor, reason } = event.data;
      const approvalDecision = { actor, refusalReason: reason };
      return withCall(state, {
        ...callOf(state, callId),
        status: 'denied',
        result: `Call denied: ${reason}`,
        approvalDecision,
      });
    }
    case 'ToolCallDenied': {
      const { callId, step, name, message, parent } = event.data;
      const call: CallState = {
        callId,
        step,
        name,
        arguments: {},
        lane: 'inline',
        effect: 'pure',
        traits: [],
        timeoutMs: 1,
        status: 'denied',
        result: message,
        ...(parent === undefined ? {} : { parent }),
      };
      // Nested calls are not counted: they say nothing about the model.
      if (parent !== undefined) return withCall(state, call);
      return { ...withCall(state, call), deniedCallsInARow: state.deniedCallsInARow + 1 };
    }
    case 'ToolCallStarted':
      return withCall(state, {
        ...callOf(state, event.data.callId),
        status: 'started',
        leaseOwner: event.data.leaseOwner,
      });
    case 'ToolCallCompleted': {
      const call = callOf(state, event.data.callId);
      const changed = withCall(state, { ...call, status: 'completed', result: event.data.content });
      // A successful call ends a row of failures.
      return call.parent === undefined ? { ...changed, sameFailure: undefined } : changed;
    }
    case 'ToolCallFailed': {
      const call = callOf(state, event.data.callId);
      if (call.parent !== undefined) return withCall(state, { ...call, status: 'failed', result: event.data.message });
      const key = failureKey(call, event.data);
      const count = state.sameFailure?.key === key ? state.sameFailure.count + 1 : 1;
      return {
        ...withCall(state, { ...call, status: 'failed', result: event.data.message }),
        sameFailure: { key, count, ...(isTransientFailure(event.data.message) ? { passing: true as const } : {}) },
      };
    }
    case 'ToolsLoaded':
      return { loaded: addLoadedTools(state.loaded, event.data.names) };
    case 'FileWritten': {
      const { path, hash, size, writtenAt } = event.data;
      return { tree: { ...state.tree, [path]: { hash, size, writtenAt } } };
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
        // Progress resets the count: occasional stops in a long phase are harmless.
        nudges: 0,
        sameFailure: undefined,
      };
    }
    case 'TodosRewound':
      return { rewound: event.data };
    case 'TodoAdded':
      return { todos: addTodo(state.todos, event.data) };
    case 'TodoStarted':
      return { todos: startTodo(state.todos, event.data.todoId) };
    case 'ExperienceNoted':
      // The text is in experiences.md. The event is for later jobs.
      return {};
    case 'JobCompletionProposed':
      return { proposal: event.data.completion };
    case 'PhaseNudged':
      return {
        nudges: state.nudges + 1,
        stepsSinceNudge: 0,
        transcript: [...state.transcript, systemNotice(event.data.message)],
        lastAnswerCalls: [],
      };
    case 'StuckDetected': {
      const { message } = event.data;
      return message === undefined
        ? {}
        : { transcript: [...state.transcript, systemNotice(message)], lastAnswerCalls: [] };
    }
    case 'TransitionRejected':
      return {
        rejections: state.rejections + 1,
        proposal: undefined,
        rewound: undefined,
        todos: reopenLast(state),
        transcript: [...state.transcript, systemNotice(event.data.message)],
        lastAnswerCalls: [],
      };
    case 'PhaseSteered':
      return {
        pendingNotices: [
          ...state.pendingNotices,
          personNotice(`Message from ${event.data.actor}: ${event.data.message}`),
        ],
      };
    case 'PhasePaused':
      return { paused: event.data };
    case 'PhaseResumed': {
      const { deadlineAt } = event.data;
      return {
        paused: undefined,
        // A person who resumes the phase wants the model called now, with a full waiting time.
        awaitedModel: undefined,
        ...(deadlineAt === undefined ? {} : { allowance: { ...state.allowance, deadlineAt } }),
      };
    }
    case 'PhaseTakenOver':
      return { ...abandonModelCall(state), epoch: event.data.epoch, takeovers: state.takeovers + 1 };
    case 'PhaseCompleted':
      return { ...abandonModelCall(state), awaitedModel: undefined, end: { kind: 'completed', ...event.data } };
    case 'PhaseFailed':
      return { ...abandonModelCall(state), awaitedModel: undefined, end: { kind: 'failed', ...event.data } };
    case 'PhaseCancelled':
      return { ...abandonModelCall(state), awaitedModel: undefined, end: { kind: 'cancelled', ...event.data } };
    default:
      return assertNever(event);
  }
}

function applyAnswer(state: PhaseState, answer: PhaseEventData<'ModelResponded'>): Change {
  const { inputTokens, cachedInputTokens, outputTokens } = answer.usage;
  return {
    openModelCall: undefined,
    awaitedModel: undefined,
    editedResponse: undefined,
    takeovers: 0,
    ...countWorkSinceNudge(state, answer.calls.length),
    transcript: [...moveResultsIntoTranscript(state), { kind: 'answer', answer }],
    calls: {},
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

/** Number of steps with calls after a nudge that reset the count of nudges. */
const STEPS_THAT_CLEAR_NUDGES = 10;

function countWorkSinceNudge({ nudges, stepsSinceNudge }: PhaseState, calls: number): Change {
  if (nudges === 0 || calls === 0) return {};
  const steps = (stepsSinceNudge ?? 0) + 1;
  return steps < STEPS_THAT_CLEAR_NUDGES ? { stepsSinceNudge: steps } : { nudges: 0, stepsSinceNudge: undefined };
}

/** Moves the results of the last answer's calls into the transcript, so that `calls` stays small in a long phase. */
function moveResultsIntoTranscript(state: PhaseState): readonly TranscriptEntry[] {
  if (Object.keys(state.calls).length === 0) return state.transcript;
  const index = state.transcript.findLastIndex((entry) => entry.kind === 'answer');
  const entry = state.transcript[index];
  return entry?.kind === 'answer'
    ? state.transcript.with(
        index,
        attachCallResults(
          entry,
          Object.values(state.calls).filter(({ parent }) => parent === undefined),
        ),
      )
    : state.transcript;
}

/** Drops the open call. Its answer is lost, and its reservation counts because it may have been charged. */
function abandonModelCall({ openModelCall, unconfirmed }: PhaseState): Change {
  if (!openModelCall) return {};
  const { reservedMicroUsd: costMicroUsd, reservedTokens: tokens } = openModelCall;
  return { openModelCall: undefined, unconfirmed: addUnconfirmed(unconfirmed, { costMicroUsd, tokens }) };
}

function applySummary(state: PhaseState, data: PhaseEventData<'ConversationSummarised'>): Change {
  const { summary, entries, usage, costMicroUsd } = data;
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  return {
    summary,
    summaries: (state.summaries ?? 0) + 1,
    openModelCall: undefined,
    awaitedModel: undefined,
    takeovers: 0,
    transcript: applySummaryToTranscript(state.transcript, entries),
    // A summary is no step of the work.
    spending: addSpending(state.spending, { steps: 0, inputTokens, cachedInputTokens, outputTokens, costMicroUsd }),
  };
}

/** A message from a person, which survives summaries. */
function personNotice(text: string): TranscriptEntry {
  return { kind: 'notice', text, fromPerson: true };
}

function systemNotice(text: string): TranscriptEntry {
  return { kind: 'notice', text };
}

/** Key that is equal for calls that failed in the same way. It begins with the tool's name. */
function failureKey(call: CallState, { code, message }: PhaseEventData<'ToolCallFailed'>): string {
  return `${call.name} ${JSON.stringify([call.arguments, code, message])}`;
}

function withCall(state: PhaseState, call: CallState): Change {
  return { calls: { ...state.calls, [call.callId]: call } };
}

function callOf(state: PhaseState, callId: string): CallState {
  const call = state.calls[callId];
  if (!call) throw new Error(`call ${callId} was never requested`);
  return call;
}

/** Reopens the last todo: a rejected end means that it was not really done. */
function reopenLast(state: PhaseState): PhaseState['todos'] {
  const last = state.todos.length - 1;
  return state.todos.map((todo, index) => (index === last ? { ...todo, status: 'open' as const } : todo));
}
