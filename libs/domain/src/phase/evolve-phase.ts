import { createForkedPhase } from '../fork/create-forked-phase.js';
import type { PhaseEvent, PhaseEventData } from './phase-events.js';
import type { PhaseState } from './phase-state.js';
import { foldCalls, NO_CALLS } from './state/calls.js';
import type { ChangeEvent } from './state/changed-groups.js';
import { foldConversation, startConversation } from './state/conversation.js';
import { foldEnd } from './state/end.js';
import { foldGuards, INITIAL_GUARDS } from './state/guards.js';
import { foldModelCall, NO_MODEL_CALL } from './state/model-call.js';
import { foldMoney, startMoney } from './state/money.js';
import { foldPause } from './state/pause.js';
import { foldTally, NOTHING_COUNTED } from './state/tally.js';
import { foldTodos } from './state/todos.js';
import type { TranscriptEntry } from './state/transcript.js';
import { changeTree, foldTree, type OwnTree, type PhaseTree } from './state/tree.js';

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
  return foldGroups(state, event, foldTree(state.tree, event));
}

function createStartedPhase(start: PhaseEventData<'PhaseStarted'>): PhaseState {
  return {
    version: 1,
    start,
    conversation: startConversation(start.notices),
    calls: NO_CALLS,
    todos: { list: start.plan.todos },
    tree: start.workspace.tree,
    money: startMoney(start.terms.allowance),
    modelCall: NO_MODEL_CALL,
    guards: INITIAL_GUARDS,
    tally: NOTHING_COUNTED,
  };
}

/** Folds an event into each group. All folds read the state before the event; `tree` is the tree after it. */
function foldGroups(state: PhaseState, event: ChangeEvent, tree: PhaseTree): PhaseState {
  const { calls, money, modelCall } = state;
  return {
    version: state.version + 1,
    start: state.start,
    conversation: foldConversation(state.conversation, event, calls, state.tree),
    calls: foldCalls(calls, event, state.tree),
    todos: foldTodos(state.todos, event),
    tree,
    money: foldMoney(money, event, modelCall.open),
    modelCall: foldModelCall(modelCall, event),
    guards: foldGuards(state.guards, event, calls, money.spending.steps),
    tally: foldTally(state.tally, event),
    paused: foldPause(state.paused, event),
    end: foldEnd(state.end, event),
  };
}

/**
 * Folds a whole stream, or its remaining events onto `from`. The file tree is copied once: otherwise folding a phase that
 * wrote 20,000 files would take minutes.
 */
export function foldPhase(events: Iterable<PhaseEvent>, from?: PhaseState): PhaseState | undefined {
  const earlier = new EarlierEntries();
  let state = from;
  /** A copy of the tree of `state` that only this fold can see, and may therefore change in place. */
  let ownTree: OwnTree | undefined;
  for (const event of events) {
    if (state && (event.type === 'FileWritten' || event.type === 'FileDeleted')) {
      if (!ownTree || state.tree !== ownTree) ownTree = { ...state.tree };
      changeTree(ownTree, event);
      state = foldGroups(state, event, ownTree);
      continue;
    }
    if (state && shortensConversation(event)) state = earlier.putBack(state);
    state = earlier.setAside(evolvePhase(state, event));
    // The tree of a fork may be that of its parent.
    if (event.type === 'PhaseForked') ownTree = undefined;
  }
  return state && earlier.putBack(state);
}

function shortensConversation({ type }: PhaseEvent): boolean {
  return type === 'ToolResultsCleared' || type === 'ConversationSummarised';
}

/** Number of transcript entries above which a fold sets aside those that no later event can change. */
const MAX_CARRIED_ENTRIES = 128;

/**
 * Entries of a transcript that are set aside during a fold. Most events change only the last answer and the entries after
 * it, so a long conversation need not be copied for every event.
 */
class EarlierEntries {
  private readonly entries: TranscriptEntry[] = [];

  /** Removes the entries before the last answer from a long transcript. */
  setAside(state: PhaseState): PhaseState {
    const { transcript } = state.conversation;
    if (transcript.length <= MAX_CARRIED_ENTRIES) return state;
    const last = transcript.findLastIndex((entry) => entry.kind === 'answer');
    if (last <= 0) return state;
    for (const entry of transcript.slice(0, last)) this.entries.push(entry);
    return withTranscript(state, transcript.slice(last));
  }

  /** Returns the state with its whole transcript. */
  putBack(state: PhaseState): PhaseState {
    if (this.entries.length === 0) return state;
    return withTranscript(state, [...this.entries.splice(0), ...state.conversation.transcript]);
  }
}

function withTranscript(state: PhaseState, transcript: readonly TranscriptEntry[]): PhaseState {
  return { ...state, conversation: { ...state.conversation, transcript } };
}
