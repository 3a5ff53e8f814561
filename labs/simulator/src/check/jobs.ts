import { jobEndTypes, hasJobEnded, phaseEndTypes } from '@phaseline/domain';
import type { RunResult } from '../run/world.js';
import { readJobLogs, type JobLog } from './streams.js';

const PHASE_ENDS: ReadonlySet<string> = new Set(phaseEndTypes);
const JOB_ENDS: ReadonlySet<string> = new Set(jobEndTypes);

/** Checks that every accepted job is in the log and has ended, or is paused by a person who never resumes it. */
export function* checkJobEnds(remains: RunResult): Iterable<string> {
  const logs = new Map(readJobLogs(remains).map((log) => [log.jobId, log]));
  for (const { job, jobId, isResumedAfterPause } of remains.jobs) {
    if (jobId === undefined) {
      yield `${job.agent} was never accepted, although no faults occurred at the end`;
      continue;
    }
    const log = logs.get(jobId);
    if (!log) yield `${job.agent} was accepted and is not in the log`;
    else if (!hasJobEnded(log.state) && !(log.state.paused && !isResumedAfterPause)) yield describeStall(log, remains);
  }
}

function describeStall({ agent, state, phases }: JobLog, { virtualMs }: RunResult): string {
  const last = phases.at(-1);
  const where = last
    ? `phase ${last.phase} at version ${last.state.version} (${last.events.at(-1)!.event.type})`
    : 'no phase';
  return `${agent} is ${state.status} after ${Math.round(virtualMs / 1000)} s: ${where}`;
}

/** Checks that phases are dispatched, started and ended once each, in order, and that nothing follows an end. */
export function* checkPhaseOrder(remains: RunResult): Iterable<string> {
  for (const { agent, events: told, phases } of readJobLogs(remains)) {
    const dispatched: number[] = [];
    const ended: number[] = [];
    told.forEach(({ event }, index) => {
      if (event.type === 'PhaseDispatched') dispatched.push(event.data.phase);
      if (event.type === 'PhaseEnded') ended.push(event.data.phase);
      const next = told[index + 1]?.event.type;
      if (JOB_ENDS.has(event.type) && next !== undefined && next !== 'JobRetried')
        problems.push(`${agent}: ${next} after ${event.type}`);
    });
    yield* problems.splice(0);
    yield* checkOrder(agent, 'dispatched', dispatched, phases.length);
    yield* checkOrder(agent, 'ended', ended, dispatched.length);
    for (const { phase, events: events } of phases) {
      const ends = events.filter(({ event }) => PHASE_ENDS.has(event.type));
      if (ends.length > 1) yield `${agent} phase ${phase} ended ${ends.length} times`;
      if (ends.length === 1 && !PHASE_ENDS.has(events.at(-1)!.event.type))
        yield `${agent} phase ${phase} has ${events.at(-1)!.event.type} after its end`;
      if (events.filter(({ event }) => event.type === 'PhaseStarted').length !== 1)
        yield `${agent} phase ${phase} did not start exactly once`;
      if (ends.length === 0 && ended.includes(phase)) yield `${agent} phase ${phase} was recorded as ended and is open`;
    }
  }
}

const problems: string[] = [];

function* checkOrder(agent: string, what: string, numbers: readonly number[], maximum: number): Iterable<string> {
  numbers.forEach((phase, index) => {
    if (phase !== index + 1) problems.push(`${agent}: the ${what} phases are ${numbers.join(', ')}`);
  });
  if (numbers.length > maximum)
    problems.push(`${agent}: ${numbers.length} phases ${what}, at most ${maximum} expected`);
  yield* problems.splice(0);
}
