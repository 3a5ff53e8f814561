import {
  evolveJob,
  foldPhase,
  systemTools,
  type JobEvent,
  type JobEventData,
  type JobState,
  type PhaseEvent,
  type PhaseState,
  type Spending,
} from '@phaseline/domain';

/** A phase as recorded in the stream of its job. */
export interface PhaseOutline extends Omit<JobEventData<'PhaseDispatched'>, 'todos' | 'allowance'> {
  /** Absent while the phase runs. */
  readonly result?: JobEventData<'PhaseEnded'>['result'];
  readonly spending?: Spending;
}

/** The folded stream of a job, with a record of each phase. */
export interface JobOutline {
  readonly job: JobState;
  /** All dispatched phases, in order. */
  readonly phases: readonly PhaseOutline[];
}

/** Applies events to an outline. */
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
 * Removes the conversation from the state of a phase, and the ended calls except the runs of verifiers, which decisions about the job read.
 * Both lists grow with every step, so without them a phase of any length stays small. No other part of the state depends on them, so folding
 * can continue from the result. To read the conversation or the calls, read the events.
 */
function toOutline(state: PhaseState): PhaseState {
  const { conversation, work } = state;
  return {
    ...state,
    conversation: conversation.transcript.length === 0 ? conversation : { ...conversation, transcript: [] },
    work: { ...work, calls: work.calls.filter(({ name }) => name === systemTools.verifier) },
  };
}

/** Applies events to an outline of a phase; the result is an outline again. */
export function foldPhaseOutline(events: Iterable<PhaseEvent>, from?: PhaseState): PhaseState | undefined {
  const state = foldPhase(events, from);
  return state && toOutline(state);
}
