import {
  evolveJob,
  foldPhase,
  type JobEvent,
  type JobEventData,
  type JobState,
  type PhaseEvent,
  type PhaseState,
  type Spending,
} from '@phaseline/domain';

/** A phase as the job's own stream tells it. */
export interface PhaseRecord extends Omit<JobEventData<'PhaseDispatched'>, 'todos' | 'allowance'> {
  /** Missing while the phase runs. */
  readonly result?: JobEventData<'PhaseEnded'>['result'];
  readonly spending?: Spending;
}

/** A job's stream, folded, with a line for each of its phases. */
export interface JobOutline {
  readonly job: JobState;
  /** All phases that were dispatched, in order. */
  readonly phases: readonly PhaseRecord[];
}

/** Folds events onto an outline. */
export function foldJobOutline(events: Iterable<JobEvent>, from?: JobOutline): JobOutline | undefined {
  let job = from?.job;
  const phases = [...(from?.phases ?? [])];
  for (const event of events) {
    job = evolveJob(job, event);
    if (event.type === 'PhaseDispatched') {
      const { todos: _todos, allowance: _allowance, ...record } = event.data;
      phases.push(record);
    } else if (event.type === 'PhaseEnded') {
      const { phase, result, spending } = event.data;
      const index = phases.findIndex((record) => record.phase === phase);
      if (phases[index]) phases[index] = { ...phases[index], result, spending };
    }
  }
  return job && { job, phases };
}

/**
 * A phase without its conversation. Nothing else of the state depends on the conversation, so the rest comes out the same
 * when it is folded on, and a phase of any length stays small. Whoever needs the conversation reads the events.
 */
export function outlineOf(state: PhaseState): PhaseState {
  return state.transcript.length === 0 ? state : { ...state, transcript: [] };
}

/** Folds events onto an outline; the outcome is one again. */
export function foldPhaseOutline(events: readonly PhaseEvent[], from?: PhaseState): PhaseState | undefined {
  const state = foldPhase(events, from);
  return state && outlineOf(state);
}
