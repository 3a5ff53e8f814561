import { assertNever } from '../assert-never.js';
import { addSpending, NOTHING_SPENT, type Spending } from '../budget/spending.js';
import type { Failure, JobEvent, JobEventData } from './job-events.js';

export const jobStatuses = ['submitted', 'running', 'completed', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export interface ActivePhase {
  readonly phase: number;
  readonly state: string;
  readonly attempt: number;
}

/** A job as its stream tells it. Never stored: always folded. */
export interface JobState {
  readonly version: number;
  readonly submitted: JobEventData<'JobSubmitted'>;
  readonly status: JobStatus;
  /** Phases dispatched so far; the next one gets the next number. */
  readonly phases: number;
  readonly active?: ActivePhase;
  readonly deadlineAt?: string;
  /** What the ended phases took together. */
  readonly spending: Spending;
  readonly cancelRequested?: JobEventData<'JobCancelRequested'>;
  readonly completion?: JobEventData<'JobCompleted'>;
  readonly failure?: Failure;
}

export function jobHasEnded(state: JobState): boolean {
  return state.status === 'completed' || state.status === 'failed' || state.status === 'cancelled';
}

/** Folds one event into the state. `state` is undefined only before `JobSubmitted`. */
export function evolveJob(state: JobState | undefined, event: JobEvent): JobState {
  if (event.type === 'JobSubmitted') {
    if (state) throw new Error('a job is submitted only once');
    return {
      version: 1,
      submitted: event.data,
      status: 'submitted',
      phases: 0,
      spending: NOTHING_SPENT,
    };
  }
  if (!state) throw new Error(`${event.type} before JobSubmitted`);
  return { ...state, ...change(state, event), version: state.version + 1 };
}

/** Folds a whole stream, or the rest of one onto `from`. */
export function foldJob(events: Iterable<JobEvent>, from?: JobState): JobState | undefined {
  let state = from;
  for (const event of events) state = evolveJob(state, event);
  return state;
}

type Change = { -readonly [Key in keyof JobState]?: JobState[Key] | undefined };

function change(state: JobState, event: Exclude<JobEvent, { type: 'JobSubmitted' }>): Change {
  switch (event.type) {
    case 'PhaseDispatched': {
      const { phase, state: name, attempt, allowance } = event.data;
      return {
        status: 'running',
        phases: phase,
        active: { phase, state: name, attempt },
        ...(allowance.deadlineAt === undefined ? {} : { deadlineAt: allowance.deadlineAt }),
      };
    }
    case 'PhaseEnded':
      return { active: undefined, spending: addSpending(state.spending, event.data.spending) };
    case 'JobCancelRequested':
      return { cancelRequested: event.data };
    case 'JobCompleted':
      return { status: 'completed', completion: event.data };
    case 'JobFailed':
      return { status: 'failed', failure: event.data };
    case 'JobCancelled':
      return { status: 'cancelled' };
    default:
      return assertNever(event);
  }
}
