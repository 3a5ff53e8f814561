import type { CallRecord } from '@phaseline/checks';
import { createForkedPhase } from '../fork/create-forked-phase.js';
import { phaseStream } from '../stream/stream-name.js';
import type { PhaseEvent, PhaseEventData } from './phase-events.js';
import type { PhaseState } from './phase-state.js';
import { foldCalls, NO_CALLS } from './state/calls.js';
import { foldClaims, NO_CLAIMS } from './state/claims.js';
import { listChangedGroups, type ChangeEvent } from './state/changed-groups.js';
import { foldConversation, startConversation } from './state/conversation.js';
import { foldEnd } from './state/end.js';
import { foldGuards, INITIAL_GUARDS } from './state/guards.js';
import { foldGuardWaits } from './state/guard-waits.js';
import { foldModelCall, NO_MODEL_CALL } from './state/model-call.js';
import { foldMoney, startMoney } from './state/money.js';
import { foldTurn, startTurn } from './state/turn.js';
import { foldPause } from './state/pause.js';
import { foldReflexion } from './state/reflexion.js';
import { foldTally, NOTHING_COUNTED } from './state/tally.js';
import { foldTodos } from './state/todos.js';
import type { TranscriptEntry } from './state/transcript.js';
import { changeTree, type FileEvent, type OwnTree, type PhaseTree } from './state/tree.js';
import { foldWork, noteChangedFile, startWork, type ChangedFiles, type OwnChangedFiles } from './state/work.js';

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
  return foldGroups(state, event, foldFiles(state, event));
}

function createStartedPhase(start: PhaseEventData<'PhaseStarted'>): PhaseState {
  return {
    version: 1,
    start,
    conversation: startConversation(start.notices, start.terms.guards),
    calls: NO_CALLS,
    todos: { list: start.plan.todos },
    tree: start.workspace.tree,
    money: startMoney(start.terms.allowance),
    modelCall: NO_MODEL_CALL,
    guards: { ...INITIAL_GUARDS, overrides: start.terms.guardOverrides ?? [] },
    tally: NOTHING_COUNTED,
    work: startWork(phaseStream(start.identity.jobId, start.identity.phase)),
    claims: NO_CLAIMS,
    guardWaits: [],
    ...startTurn(start.terms.allowance.turn),
  };
}

/** The files after an event: all of them, and those that changed in the phase. */
interface Files {
  readonly tree: PhaseTree;
  readonly changedFiles: ChangedFiles;
}

function foldFiles(state: PhaseState, event: ChangeEvent): Files {
  const { tree, work } = state;
  if (!isFileEvent(event)) return { tree, changedFiles: work.changedFiles };
  const files = copyFiles(state);
  changeFiles(files, event, state);
  return files;
}

/** Folds an event into the groups that it changes. All folds read the state before the event; `files` are those after it. */
function foldGroups(state: PhaseState, event: ChangeEvent, { tree, changedFiles }: Files): PhaseState {
  const changed = listChangedGroups(event);
  const { start, conversation, calls, todos, money, modelCall, guards, tally, work, claims, guardWaits, turn } = state;
  const { reflexion, paused, end } = state;
  const version = state.version + 1;
  const changesGuards = changed.guards || changed.watch;
  const next = {
    version,
    start,
    conversation: changed.conversation ? foldConversation(conversation, event, calls, state.tree) : conversation,
    calls: changed.calls ? foldCalls(calls, event, state.tree) : calls,
    todos: changed.todos ? foldTodos(todos, event) : todos,
    tree,
    money: changed.money ? foldMoney(money, event, modelCall.open) : money,
    modelCall: changed.modelCall ? foldModelCall(modelCall, event) : modelCall,
    guards: changesGuards ? foldGuards(guards, event, calls, money.spending.steps) : guards,
    tally: changed.tally ? foldTally(tally, event) : tally,
    work: changed.work ? foldWork(work, event, version, calls, changedFiles) : work,
    claims: changed.claims ? foldClaims(claims, event) : claims,
    guardWaits: changed.guardWaits ? foldGuardWaits(guardWaits, event) : guardWaits,
    reflexion: changed.reflexion ? foldReflexion(reflexion, event) : reflexion,
    paused: changed.paused ? foldPause(paused, event) : paused,
    end: changed.end ? foldEnd(end, event) : end,
  };
  if (!turn) return next;
  return { ...next, turn: changed.turn ? foldTurn(turn, event) : turn };
}

/**
 * Folds a whole stream, or its remaining events onto `from`. The file tree is copied once: otherwise folding a phase that
 * wrote 20,000 files would take minutes.
 */
export function foldPhase(events: Iterable<PhaseEvent>, from?: PhaseState): PhaseState | undefined {
  const earlier = new EarlierEntries();
  let state = from;
  /** Copies of the files of `state` that only this fold can see, and may therefore change in place. */
  let own: OwnFiles | undefined;
  for (const event of events) {
    if (state && isFileEvent(event)) {
      if (!own || state.tree !== own.tree || state.work.changedFiles !== own.changedFiles) own = copyFiles(state);
      changeFiles(own, event, state);
      state = foldGroups(state, event, own);
      continue;
    }
    if (state && shortensConversation(event)) state = earlier.putBack(state);
    state = earlier.setAside(evolvePhase(state, event));
    // The files of a fork may be those of its parent.
    if (event.type === 'PhaseForked') own = undefined;
  }
  return state && earlier.putBack(state);
}

interface OwnFiles {
  readonly tree: OwnTree;
  readonly changedFiles: OwnChangedFiles;
}

function isFileEvent(event: PhaseEvent): event is FileEvent {
  return event.type === 'FileWritten' || event.type === 'FileDeleted';
}

function copyFiles({ tree, work }: PhaseState): OwnFiles {
  return { tree: { ...tree }, changedFiles: { ...work.changedFiles } };
}

/** Applies an event to the files in place. `state` is that before the event, except for these files. */
function changeFiles({ tree, changedFiles }: OwnFiles, event: FileEvent, { work, version }: PhaseState): void {
  noteChangedFile({ changedFiles, todoFrom: work.todoFrom }, event, tree, work.earlierEvents + version + 1);
  changeTree(tree, event);
}

function shortensConversation({ type }: PhaseEvent): boolean {
  return type === 'ToolResultsCleared' || type === 'ConversationSummarised';
}

/** Number of entries above which a fold sets aside those that no later event can change. */
const MAX_CARRIED_ENTRIES = 128;

/**
 * Entries of the transcript and ended calls that are set aside during a fold. Most events change only the last answer and the entries
 * after it, and none changes a call that has ended, so neither a long conversation nor a long list of calls is copied for every event.
 */
class EarlierEntries {
  private readonly entries: TranscriptEntry[] = [];
  private readonly calls: CallRecord[] = [];

  /** Removes the entries before the last answer from a long transcript, and the calls from a long list of ended calls. */
  setAside(state: PhaseState): PhaseState {
    return this.setCallsAside(this.setEntriesAside(state));
  }

  /** Returns the state with its whole transcript and all ended calls. */
  putBack(state: PhaseState): PhaseState {
    const { conversation, work } = state;
    return {
      ...state,
      ...(this.entries.length > 0
        ? { conversation: { ...conversation, transcript: [...this.entries.splice(0), ...conversation.transcript] } }
        : {}),
      ...(this.calls.length > 0 ? { work: { ...work, calls: [...this.calls.splice(0), ...work.calls] } } : {}),
    };
  }

  private setEntriesAside(state: PhaseState): PhaseState {
    const { conversation } = state;
    const { transcript } = conversation;
    if (transcript.length <= MAX_CARRIED_ENTRIES) return state;
    const last = transcript.findLastIndex((entry) => entry.kind === 'answer');
    if (last <= 0) return state;
    for (const entry of transcript.slice(0, last)) this.entries.push(entry);
    return { ...state, conversation: { ...conversation, transcript: transcript.slice(last) } };
  }

  private setCallsAside(state: PhaseState): PhaseState {
    const { work } = state;
    if (work.calls.length <= MAX_CARRIED_ENTRIES) return state;
    for (const call of work.calls) this.calls.push(call);
    return { ...state, work: { ...work, calls: [] } };
  }
}
