import { assertNever } from '@phaseline/basics';
import { startNextTurn } from '../budget/turn.js';
import { addSpending, addUnconfirmed, NOTHING_SPENT, NOTHING_UNCONFIRMED } from '../budget/spending.js';
import { createForkedJob } from '../fork/create-forked-job.js';
import { prepareRetryAfterPause } from '../stuck/pause-for-person.js';
import { removeOverrides } from '../guard/current-overrides.js';
import { evolveHandoff } from '../handoff/open-handoff.js';
import { evolveItems } from '../item/job-items.js';
import { evolveRepository } from '../repository/evolve-repository.js';
import type { JobEvent, JobEventData } from './job-events.js';
import { describeEdit } from './edit-workspace.js';
import type { JobDefinition, JobState, LastRequest } from './job-state.js';
import { addOwedTodos, removeCoveredTodos } from './owed-todos.js';

/**
 * Folds one event into the state. `state` is undefined only before `JobSubmitted`; before `JobForked` it is that of the
 * parent at the version that the event names.
 */
export function evolveJob(state: JobState | undefined, event: JobEvent): JobState {
  if (event.type === 'JobSubmitted') {
    if (state) throw new Error('a job is submitted only once');
    return createSubmittedJob(event.data);
  }
  if (!state) throw new Error(`${event.type} before JobSubmitted`);
  if (event.type === 'JobForked') return createForkedJob(state, event.data);
  return { ...state, ...changeFor(state, event), version: state.version + 1 };
}

/** Folds a whole stream, or its remaining events onto `from`. */
export function foldJob(events: Iterable<JobEvent>, from?: JobState): JobState | undefined {
  let state = from;
  for (const event of events) state = evolveJob(state, event);
  return state;
}

function createSubmittedJob(submitted: JobEventData<'JobSubmitted'>): JobState {
  const { budgets } = submitted;
  return {
    version: 1,
    submitted,
    definition: pickDefinition(submitted),
    budgets,
    status: 'submitted',
    phases: 0,
    timers: {},
    notices: [],
    spending: NOTHING_SPENT,
    unconfirmed: NOTHING_UNCONFIRMED,
  };
}

function pickDefinition({ agent, agentHash, workflow, workflowHash, agents }: JobDefinition): JobDefinition {
  return { agent, agentHash, workflow, workflowHash, ...(agents ? { agents } : {}) };
}

type Change = Partial<JobState>;

function changeFor(state: JobState, event: Exclude<JobEvent, { type: 'JobSubmitted' | 'JobForked' }>): Change {
  switch (event.type) {
    case 'PhaseDispatched': {
      const { phase, state: name, attempt, allowance } = event.data;
      return {
        status: 'running',
        phases: phase,
        active: { phase, state: name, attempt },
        retryAttempt: undefined,
        notices: [],
        ...(state.notices.length > 0 ? { sent: state.notices } : {}),
        ...(state.edits ? { edits: undefined } : {}),
        ...(state.nextDefinition ? { definition: state.nextDefinition, nextDefinition: undefined } : {}),
        ...(allowance.deadlineAt === undefined ? {} : { deadlineAt: allowance.deadlineAt }),
        ...removeCoveredTodos(state, event.data),
      };
    }
    case 'PhaseEnded':
      return { ...applyPhaseEnd(state, event.data), ...addOwedTodos(state, event.data) };
    case 'JobPaused':
      return {
        status: 'paused',
        paused: event.data,
        lastRequest: buildLastRequest(state, 'paused', event.data.actor),
        ...prepareRetryAfterPause(state),
      };
    case 'JobResumed': {
      const { deadlineAt } = event.data;
      // The person for whom the job waited has acted.
      const timers = Object.entries(state.timers).filter(([, timer]) => timer.kind !== 'person');
      return {
        status: state.phases === 0 ? 'submitted' : 'running',
        paused: undefined,
        resumedBy: event.data.actor,
        lastRequest: buildLastRequest(state, 'resumed', event.data.actor),
        timers: Object.fromEntries(timers),
        ...(deadlineAt === undefined ? {} : moveDeadline(Object.fromEntries(timers), deadlineAt)),
      };
    }
    case 'JobDeadlineMoved':
      return moveDeadline(state.timers, event.data.deadlineAt);
    case 'JobSteered': {
      const { actor, message, phase } = event.data;
      const text = `Message from ${actor}: ${message}`;
      return phase === undefined ? { ...beginTurn(state), ...keepMessage(state, text) } : noteSent(state, text);
    }
    case 'WorkspaceEdited': {
      const text = `Message from ${event.data.actor}: ${describeEdit(event.data)}`;
      if (event.data.phase !== undefined) return noteSent(state, text);
      return { edits: [...(state.edits ?? []), event.data], ...keepMessage(state, text) };
    }
    case 'JobRetried':
      return {
        status: 'running',
        paused: undefined,
        failure: undefined,
        lastRequest: buildLastRequest(state, 'retried', event.data.actor),
        retryAttempt: 1,
        deadlineAt: undefined,
        timers: {},
        // The import is tried again.
        ...(state.repository?.failure ? { repository: { ...state.repository, failure: undefined } } : {}),
        ...(state.rewinds === undefined ? {} : { rewinds: undefined }),
        ...(state.last ? { last: { ...state.last, sameFailures: 0 } } : {}),
        ...(event.data.budgets ? { budgets: event.data.budgets } : {}),
        ...beginTurn(state),
      };
    case 'JobDefinitionChanged':
      return { nextDefinition: pickDefinition(event.data) };
    case 'JobGuardOverridden':
      return { guardOverrides: [...(state.guardOverrides ?? []), event.data] };
    case 'JobGuardOverrideRevoked':
      return { guardOverrides: removeOverrides(state.guardOverrides ?? [], event.data) };
    case 'TimerSet': {
      const { timer, kind, dueAt } = event.data;
      return {
        timers: { ...state.timers, [timer]: { kind, dueAt } },
        ...(kind === 'backoff' ? { retryAttempt: (state.last?.attempt ?? 0) + 1 } : {}),
      };
    }
    case 'TimerFired': {
      const { [event.data.timer]: _fired, ...timers } = state.timers;
      return { timers };
    }
    case 'JobCancelRequested':
      return { cancelRequested: event.data, lastRequest: buildLastRequest(state, 'cancelled', event.data.actor) };
    case 'JobCompleted': {
      const { file, ...completion } = event.data;
      return { status: 'completed', completion, ...(file ? { completionFile: file } : {}) };
    }
    case 'JobFailed':
      return { status: event.data.end ?? 'failed', paused: undefined, failure: event.data };
    case 'JobCancelled':
      return { status: 'cancelled' };
    case 'JobErased':
      return { erased: event.data, completionFile: undefined };
    case 'HoldPlaced':
      return { hold: event.data };
    case 'HoldReleased':
      return { hold: undefined };
    case 'FilesRemoved': {
      const { removedAt, actor, hashes, bytes, hasMore } = event.data;
      const { files = 0, bytes: before = 0 } = state.filesRemoved ?? {};
      return { filesRemoved: { removedAt, actor, files: files + hashes.length, bytes: before + bytes, hasMore } };
    }
    case 'VectorsRemoved':
      // Nothing of a job depends on its vectors: they are made of its files again when a retried job searches.
      return {};
    case 'JobMovedToColdStorage':
      // Nothing of a job depends on where its events are.
      return {};
    case 'ItemsListed':
    case 'ItemStarted':
    case 'ItemChanged':
      return { items: evolveItems(state.items, event) };
    case 'HandoffIssued':
    case 'HandoffAccepted':
    case 'HandoffRefused':
    case 'HandoffCompleted':
    case 'HandoffTimedOut':
    case 'HandoffRolledBack': {
      const handoff = evolveHandoff(state.handoff, event);
      return { handoff, ...(handoff ? {} : { timers: removeHandoffTimers(state.timers) }) };
    }
    case 'RepositoryImported':
    case 'RepositoryImportFailed':
    case 'RepositoryChanged':
    case 'RepositoryOutputRequested':
    case 'RepositoryOutputMade':
    case 'RepositoryOutputFailed':
      return { repository: evolveRepository(state, event) };
    default:
      return assertNever(event);
  }
}

function buildLastRequest({ version }: JobState, action: LastRequest['action'], actor: string): LastRequest {
  return { action, actor, version: version + 1 };
}

/** Keeps a message for the next phase. */
function keepMessage({ notices }: JobState, text: string): Change {
  return { notices: [...notices, text] };
}

/** Notes a message that the active phase received, until it is known to be read. */
function noteSent({ sent = [] }: JobState, text: string): Change {
  return { sent: [...sent, text] };
}

/** The messages that the ended phase left unread go to the next one, before those that came later. */
function returnUnread({ sent, notices }: JobState, read: number | undefined): Change {
  if (!sent) return {};
  return { sent: undefined, ...(read === undefined ? {} : { notices: [...sent.slice(read), ...notices] }) };
}

/** An input of a person between two phases begins a turn. */
function beginTurn({ turn }: JobState): Change {
  return turn ? { turn: startNextTurn(turn) } : {};
}

function applyPhaseEnd(
  state: JobState,
  { result, spending, unconfirmed, turn, read }: JobEventData<'PhaseEnded'>,
): Change {
  const failure = result.kind === 'failed' ? result.failure : undefined;
  const previous = state.last?.failure;
  const isSame = failure !== undefined && failure.code === previous?.code && failure.message === previous.message;
  return {
    active: undefined,
    ...(state.active
      ? {
          last: {
            ...state.active,
            ...(failure ? { failure } : {}),
            sameFailures: failure ? (isSame ? (state.last?.sameFailures ?? 0) : 0) + 1 : 0,
          },
        }
      : {}),
    spending: addSpending(state.spending, spending),
    unconfirmed: addUnconfirmed(state.unconfirmed, unconfirmed),
    ...(turn ? { turn } : {}),
    ...returnUnread(state, read),
  };
}

/** The time of a handoff ends with it. */
function removeHandoffTimers(timers: JobState['timers']): JobState['timers'] {
  return Object.fromEntries(Object.entries(timers).filter(([, { kind }]) => kind !== 'handoff'));
}

function moveDeadline(timers: JobState['timers'], deadlineAt: string): Change {
  const moved = Object.entries(timers).map(([name, timer]) => [
    name,
    timer.kind === 'deadline' ? { ...timer, dueAt: deadlineAt } : timer,
  ]);
  return { deadlineAt, timers: Object.fromEntries(moved) };
}
