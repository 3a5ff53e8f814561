import type { AgentDefinition, Budgets } from '../agent/agent-definition.js';
import { assertNever } from '@phaseline/basics';
import {
  addSpending,
  addUnconfirmed,
  NOTHING_SPENT,
  NOTHING_UNCONFIRMED,
  type Spending,
  type Unconfirmed,
} from '../budget/spending.js';
import { createForkedJob } from '../fork/create-forked-job.js';
import { prepareRetryAfterPause } from '../stuck/pause-for-person.js';
import type { Workflow } from '../workflow/workflow.js';
import type { Failure, JobEvent, JobEventData } from './job-events.js';
import { removeCoveredTodos, addOwedTodos, type OwedTodos } from './owed-todos.js';

export const jobStatuses = ['submitted', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export interface ActivePhase {
  readonly phase: number;
  readonly state: string;
  readonly attempt: number;
}

/** The agent and workflow that a job runs. Definitions with the same hashes are the same. */
export interface JobDefinition {
  readonly agent: AgentDefinition;
  readonly agentHash: string;
  readonly workflow: Workflow;
  readonly workflowHash: string;
}

export interface Timer {
  readonly kind: JobEventData<'TimerSet'>['kind'];
  readonly dueAt: string;
}

/** The phase that ended last, as needed for retrying it. */
export interface LastPhase extends ActivePhase {
  readonly failure?: Failure;
  /** Number of consecutive attempts that failed with the same code and message. */
  readonly sameFailures: number;
}

/** Origin of a fork. */
export type Fork = Pick<JobEventData<'JobForked'>, 'parent' | 'at' | 'mode'>;

/** State of a job, folded from its stream. */
export interface JobState extends OwedTodos {
  readonly version: number;
  readonly submitted: JobEventData<'JobSubmitted'>;
  /** Current definition; initially the one that was submitted. */
  readonly definition: JobDefinition;
  /** Definition that takes effect with the next phase. */
  readonly nextDefinition?: JobDefinition;
  readonly budgets: Budgets;
  readonly status: JobStatus;
  /** Number of phases dispatched so far. The next phase gets the next number. */
  readonly phases: number;
  readonly active?: ActivePhase;
  readonly last?: LastPhase;
  /** Attempt number for the retry of the last phase; absent when no retry is due. */
  readonly retryAttempt?: number;
  readonly deadlineAt?: string;
  /** Pending timers by name. */
  readonly timers: Readonly<Record<string, Timer>>;
  readonly paused?: JobEventData<'JobPaused'>;
  /** The last request to pause, resume, retry or cancel. `version` is that of the event in the job's stream. */
  readonly lastAsked?: LastRequest;
  /** Who resumed the job after the last pause. */
  readonly resumedBy?: string;
  /** Messages from people that no phase has received yet. */
  readonly notices: readonly string[];
  /** Total spending of all ended phases. */
  readonly spending: Spending;
  readonly unsettled: Unconfirmed;
  readonly cancelRequested?: JobEventData<'JobCancelRequested'>;
  readonly completion?: JobEventData<'JobCompleted'>;
  readonly failure?: Failure;
  /** Set once the key of an encrypted job was destroyed: who asked for it, and when. All other texts in the state are placeholders then. */
  readonly erased?: JobEventData<'JobErased'>;
  /** Set for a fork: where it comes from, and how it runs. */
  readonly fork?: Fork;
}

export interface LastRequest {
  readonly what: 'paused' | 'resumed' | 'retried' | 'cancelled';
  readonly actor: string;
  readonly version: number;
}

export function hasJobEnded(state: JobState): boolean {
  return state.status === 'completed' || state.status === 'failed' || state.status === 'cancelled';
}

/** Number of the phase whose state a decision about the job needs: the active one, or the one to be retried. */
export function findDecidingPhase(state: JobState): number | undefined {
  return state.active?.phase ?? (state.retryAttempt === undefined ? undefined : state.last?.phase);
}

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
  const { agent, agentHash, workflow, workflowHash, budgets } = submitted;
  return {
    version: 1,
    submitted,
    definition: { agent, agentHash, workflow, workflowHash },
    budgets,
    status: 'submitted',
    phases: 0,
    timers: {},
    notices: [],
    spending: NOTHING_SPENT,
    unsettled: NOTHING_UNCONFIRMED,
  };
}

type Change = { -readonly [Key in keyof JobState]?: JobState[Key] | undefined };

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
        lastAsked: buildLastRequest(state, 'paused', event.data.actor),
        ...prepareRetryAfterPause(state),
      };
    case 'JobResumed': {
      const { deadlineAt } = event.data;
      // The person that the job waited for has arrived.
      const timers = Object.entries(state.timers)
        .filter(([, timer]) => timer.kind !== 'person')
        .map(([name, timer]) =>
          timer.kind === 'deadline' && deadlineAt !== undefined
            ? [name, { ...timer, dueAt: deadlineAt }]
            : [name, timer],
        );
      return {
        status: state.phases === 0 ? 'submitted' : 'running',
        paused: undefined,
        resumedBy: event.data.actor,
        lastAsked: buildLastRequest(state, 'resumed', event.data.actor),
        timers: Object.fromEntries(timers),
        ...(deadlineAt === undefined ? {} : { deadlineAt }),
      };
    }
    case 'JobSteered': {
      const { actor, message, phase } = event.data;
      return phase === undefined ? { notices: [...state.notices, `Message from ${actor}: ${message}`] } : {};
    }
    case 'JobRetried':
      return {
        status: 'running',
        paused: undefined,
        failure: undefined,
        lastAsked: buildLastRequest(state, 'retried', event.data.actor),
        retryAttempt: 1,
        deadlineAt: undefined,
        timers: {},
        ...(state.rewinds === undefined ? {} : { rewinds: undefined }),
        ...(state.last ? { last: { ...state.last, sameFailures: 0 } } : {}),
        ...(event.data.budgets ? { budgets: event.data.budgets } : {}),
      };
    case 'JobDefinitionChanged': {
      const { agent, agentHash, workflow, workflowHash } = event.data;
      return { nextDefinition: { agent, agentHash, workflow, workflowHash } };
    }
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
      return { cancelRequested: event.data, lastAsked: buildLastRequest(state, 'cancelled', event.data.actor) };
    case 'JobCompleted':
      return { status: 'completed', completion: event.data };
    case 'JobFailed':
      return { status: 'failed', paused: undefined, failure: event.data };
    case 'JobCancelled':
      return { status: 'cancelled' };
    case 'JobErased':
      return { erased: event.data };
    default:
      return assertNever(event);
  }
}

function buildLastRequest({ version }: JobState, what: LastRequest['what'], actor: string): LastRequest {
  return { what, actor, version: version + 1 };
}

function applyPhaseEnd(state: JobState, { result, spending, unsettled }: JobEventData<'PhaseEnded'>): Change {
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
    unsettled: addUnconfirmed(state.unsettled, unsettled),
  };
}
