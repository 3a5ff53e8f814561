import {
  addSpending,
  decodeJobEvent,
  decodePhaseEvent,
  evolveJob,
  foldPhase,
  jobStream,
  phaseStream,
  type JobEventData,
  type JobState,
  type PhaseState,
  type Spending,
} from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';

/** A phase as the job's own stream tells it. */
export interface PhaseRecord extends Omit<JobEventData<'PhaseDispatched'>, 'todos' | 'allowance'> {
  /** Missing while the phase runs. */
  readonly result?: JobEventData<'PhaseEnded'>['result'];
  readonly spending?: Spending;
}

/** A job as of an event: what the log up to a position folds to. */
export interface JobAt {
  /** Of the last event of the job at or before the position asked for. */
  readonly position: number;
  readonly job: JobState;
  /** All phases that were dispatched by then, in order. */
  readonly phases: readonly PhaseRecord[];
  /** The last of them that had started, folded. */
  readonly phase?: PhaseState;
  /** By path. */
  readonly files: JobState['submitted']['tree'];
  /** Of all phases, the running one included. */
  readonly spending: Spending;
}

/** All events of a stream, in order. */
export type StreamReader = (streamId: string) => Promise<readonly RecordedEvent[]>;

/** Folds a job up to and including position `at`; to its end where that is missing. Undefined when there was no such job then. */
export async function jobAt(
  read: StreamReader,
  jobId: string,
  at = Number.MAX_SAFE_INTEGER,
): Promise<JobAt | undefined> {
  const until = (events: readonly RecordedEvent[]): readonly RecordedEvent[] =>
    events.filter(({ position }) => position <= at);
  const jobEvents = until(await read(jobStream(jobId)));
  let job: JobState | undefined;
  const phases: PhaseRecord[] = [];
  for (const event of jobEvents.map(decodeJobEvent)) {
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
  if (!job) return undefined;
  const phaseEvents = await lastStarted(job.phases, async (phase) => until(await read(phaseStream(jobId, phase))));
  const phase = foldPhase(phaseEvents.map(decodePhaseEvent));
  return {
    position: Math.max(jobEvents.at(-1)!.position, phaseEvents.at(-1)?.position ?? 0),
    job,
    phases,
    ...(phase ? { phase } : {}),
    files: phase?.tree ?? job.submitted.tree,
    spending:
      phase && phase.start.phase === job.active?.phase ? addSpending(job.spending, phase.spending) : job.spending,
  };
}

/** A phase is dispatched and started in one commit, but not at one position: in between the one before is still the last. */
async function lastStarted(
  phases: number,
  read: (phase: number) => Promise<readonly RecordedEvent[]>,
): Promise<readonly RecordedEvent[]> {
  for (let phase = phases; phase > 0; phase -= 1) {
    const events = await read(phase);
    if (events.length > 0) return events;
  }
  return [];
}
