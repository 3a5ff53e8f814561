import type { JobId, StreamId } from '@phaseline/contracts';
import {
  decodeJobEvent,
  decodePhaseEvent,
  foldJob,
  foldPhase,
  jobStream,
  phaseStream,
  type JobEvent,
  type JobState,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import type { RunResult } from '../run/world.js';

/** A decoded event with its recorded form. */
export interface LoggedEvent<Event> {
  readonly event: Event;
  readonly recorded: RecordedEvent;
}

export interface PhaseLog {
  readonly phase: number;
  readonly streamId: StreamId;
  readonly events: readonly LoggedEvent<PhaseEvent>[];
  /** State folded from the first event. */
  readonly state: PhaseState;
}

export interface JobLog {
  readonly jobId: JobId;
  readonly agent: string;
  readonly events: readonly LoggedEvent<JobEvent>[];
  readonly state: JobState;
  readonly phases: readonly PhaseLog[];
}

const logsByRun = new WeakMap<RunResult, readonly JobLog[]>();

/** Returns the jobs of a run, decoded and folded from the log. */
export function readJobLogs(remains: RunResult): readonly JobLog[] {
  const cached = logsByRun.get(remains);
  if (cached) return cached;
  const logs = remains.log
    .streamIds()
    .filter((streamId) => streamId.startsWith(jobStream('')))
    .map((streamId) => readJobLog(remains, streamId.slice(jobStream('').length)));
  logsByRun.set(remains, logs);
  return logs;
}

function readJobLog({ log }: RunResult, jobId: JobId): JobLog {
  const told = log
    .storedEvents(jobStream(jobId))
    .map(({ recorded }) => ({ event: decodeJobEvent(recorded), recorded }));
  const state = foldJob(told.map(({ event }) => event))!;
  const phases: PhaseLog[] = [];
  for (let phase = 1; ; phase += 1) {
    const streamId = phaseStream(jobId, phase);
    const stored = log.storedEvents(streamId);
    if (stored.length === 0) break;
    const events = stored.map(({ recorded }) => ({ event: decodePhaseEvent(recorded), recorded }));
    phases.push({ phase, streamId, events: events, state: foldPhase(events.map(({ event }) => event))! });
  }
  return { jobId, agent: state.submitted.agent.name, events: told, state, phases };
}
