import type { AgentDefinition, Budgets } from '../agent/agent-definition.js';
import { assertNever } from '../assert-never.js';
import {
  addSpending,
  addUnsettled,
  NOTHING_SPENT,
  NOTHING_UNSETTLED,
  type Spending,
  type Unsettled,
} from '../budget/spending.js';
import { forkedJob } from '../fork/forked-job.js';
import { pausedInPlaceOfEnd } from '../stuck/ask-person.js';
import type { Workflow } from '../workflow/workflow.js';
import type { Failure, JobEvent, JobEventData } from './job-events.js';
import { owedAfterDispatch, owedAfterPhase, type OwedTodos } from './owed-todos.js';

export const jobStatuses = ['submitted', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export interface ActivePhase {
  readonly phase: number;
  readonly state: string;
  readonly attempt: number;
}

/** What a job runs by. Two definitions with the same hashes are the same. */
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

/** The phase that ended last, for the one that tries it again. */
export interface LastPhase extends ActivePhase {
  readonly failure?: Failure;
  /** How many attempts in a row failed in this very way. */
  readonly sameFailures: number;
}

/** Where a fork comes from. */
export type Fork = Pick<JobEventData<'JobForked'>, 'parent' | 'at' | 'mode'>;

/** A job as its stream tells it. Never stored: always folded. */
export interface JobState extends OwedTodos {
  readonly version: number;
  readonly submitted: JobEventData<'JobSubmitted'>;
  /** What the job runs by now; at first what it was submitted with. */
  readonly definition: JobDefinition;
  /** What it is to run by from the next phase on. */
  readonly nextDefinition?: JobDefinition;
  readonly budgets: Budgets;
  readonly status: JobStatus;
  /** Phases dispatched so far; the next one gets the next number. */
  readonly phases: number;
  readonly active?: ActivePhase;
  readonly last?: LastPhase;
  /** The attempt that the last phase gets next, once it is to be tried again. */
  readonly retryAttempt?: number;
  readonly deadlineAt?: string;
  /** Timers that are set and have not fired, by name. */
  readonly timers: Readonly<Record<string, Timer>>;
  readonly paused?: JobEventData<'JobPaused'>;
  /** What somebody asked of its course last; `version` is that of the event in the job's stream. */
  readonly lastAsked?: LastAsked;
  /** Who asked it to go on after the last pause. */
  readonly resumedBy?: string;
  /** What people said and no phase has heard yet. */
  readonly notices: readonly string[];
  /** What the ended phases took together. */
  readonly spending: Spending;
  readonly unsettled: Unsettled;
  readonly cancelRequested?: JobEventData<'JobCancelRequested'>;
  readonly completion?: JobEventData<'JobCompleted'>;
  readonly failure?: Failure;
  /** Only of a sealed job whose key was destroyed: who asked for it, and when. What the state says else is placeholders then. */
  readonly erased?: JobEventData<'JobErased'>;
  /** Only of a fork: where it comes from, and how it runs. */
  readonly fork?: Fork;
}

export interface LastAsked {
  readonly what: 'paused' | 'resumed' | 'retried' | 'cancelled';
  readonly actor: string;
  readonly version: number;
}

export function jobHasEnded(state: JobState): boolean {
  return state.status === 'completed' || state.status === 'failed' || state.status === 'cancelled';
}

/** The phase whose stream a decision about the job needs: the active one, or the one to be tried again. */
export function decidingPhase(state: JobState): number | undefined {
  return state.active?.phase ?? (state.retryAttempt === undefined ? undefined : state.last?.phase);
}

/**
 * Folds one event into the state. `state` is undefined only before `JobSubmitted`; before `JobForked` it is that of the
 * parent at the version that the event names.
 */
export function evolveJob(state: JobState | undefined, event: JobEvent): JobState {
  if (event.type === 'JobSubmitted') {
    if (state) throw new Error('a job is submitted only once');
    return submittedJob(event.data);
  }
  if (!state) throw new Error(`${event.type} before JobSubmitted`);
  if (event.type === 'JobForked') return forkedJob(state, event.data);
  return { ...state, ...change(state, event), version: state.version + 1 };
}

/** Folds a whole stream, or the rest of one onto `from`. */
export function foldJob(events: Iterable<JobEvent>, from?: JobState): JobState | undefined {
  let state = from;
  for (const event of events) state = evolveJob(state, event);
  return state;
}

function submittedJob(submitted: JobEventData<'JobSubmitted'>): JobState {
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
    unsettled: NOTHING_UNSETTLED,
  };
}

type Change = { -readonly [Key in keyof JobState]?: JobState[Key] | undefined };

function change(state: JobState, event: Exclude<JobEvent, { type: 'JobSubmitted' | 'JobForked' }>): Change {
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
        ...owedAfterDispatch(state, event.data),
      };
    }
    case 'PhaseEnded':
      return { ...phaseEnded(state, event.data), ...owedAfterPhase(state, event.data) };
    case 'JobPaused':
      return {
        status: 'paused',
        paused: event.data,
        lastAsked: asked(state, 'paused', event.data.actor),
        ...pausedInPlaceOfEnd(state),
      };
    case 'JobResumed': {
      const { deadlineAt } = event.data;
      // Whoever was waited for has come.
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
        lastAsked: asked(state, 'resumed', event.data.actor),
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
        lastAsked: asked(state, 'retried', event.data.actor),
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
      return { cancelRequested: event.data, lastAsked: asked(state, 'cancelled', event.data.actor) };
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

function asked({ version }: JobState, what: LastAsked['what'], actor: string): LastAsked {
  return { what, actor, version: version + 1 };
}

function phaseEnded(state: JobState, { result, spending, unsettled }: JobEventData<'PhaseEnded'>): Change {
  const failure = result.kind === 'failed' ? result.failure : undefined;
  const before = state.last?.failure;
  const same = failure !== undefined && failure.code === before?.code && failure.message === before.message;
  return {
    active: undefined,
    ...(state.active
      ? {
          last: {
            ...state.active,
            ...(failure ? { failure } : {}),
            sameFailures: failure ? (same ? (state.last?.sameFailures ?? 0) : 0) + 1 : 0,
          },
        }
      : {}),
    spending: addSpending(state.spending, spending),
    unsettled: addUnsettled(state.unsettled, unsettled),
  };
}
