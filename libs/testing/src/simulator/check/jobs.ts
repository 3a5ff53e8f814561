import { jobEndTypes, jobHasEnded, phaseEndTypes } from '@phaseline/domain';
import type { Remains } from '../run/world.js';
import { jobLogs, type JobLog } from './streams.js';

const phaseEnds: ReadonlySet<string> = new Set(phaseEndTypes);
const jobEnds: ReadonlySet<string> = new Set(jobEndTypes);

/** Every job that was taken is in the log, and has ended, or is paused by somebody who did not come back. */
export function* jobsEnd(remains: Remains): Iterable<string> {
  const logs = new Map(jobLogs(remains).map((log) => [log.jobId, log]));
  for (const { job, jobId, resumes } of remains.asked) {
    if (jobId === undefined) {
      yield `${job.agent} was never taken, although everything was well at the end`;
      continue;
    }
    const log = logs.get(jobId);
    if (!log) yield `${job.agent} was taken and is not in the log`;
    else if (!jobHasEnded(log.state) && !(log.state.paused && !resumes)) yield standsStill(log, remains);
  }
}

function standsStill({ agent, state, phases }: JobLog, { virtualMs }: Remains): string {
  const last = phases.at(-1);
  const where = last
    ? `phase ${last.phase} at version ${last.state.version} (${last.told.at(-1)!.event.type})`
    : 'no phase';
  return `${agent} is ${state.status} after ${Math.round(virtualMs / 1000)} s: ${where}`;
}

/** Phases are dispatched, started and ended once each, in turn, and nothing follows an end. */
export function* phasesOnce(remains: Remains): Iterable<string> {
  for (const { agent, told, phases } of jobLogs(remains)) {
    const dispatched: number[] = [];
    const ended: number[] = [];
    told.forEach(({ event }, index) => {
      if (event.type === 'PhaseDispatched') dispatched.push(event.data.phase);
      if (event.type === 'PhaseEnded') ended.push(event.data.phase);
      const next = told[index + 1]?.event.type;
      if (jobEnds.has(event.type) && next !== undefined && next !== 'JobRetried')
        remainsAfterEnd.push(`${agent}: ${next} after ${event.type}`);
    });
    yield* remainsAfterEnd.splice(0);
    yield* inTurn(agent, 'dispatched', dispatched, phases.length);
    yield* inTurn(agent, 'ended', ended, dispatched.length);
    for (const { phase, told: events } of phases) {
      const ends = events.filter(({ event }) => phaseEnds.has(event.type));
      if (ends.length > 1) yield `${agent} phase ${phase} ended ${ends.length} times`;
      if (ends.length === 1 && !phaseEnds.has(events.at(-1)!.event.type))
        yield `${agent} phase ${phase} goes on after its end with ${events.at(-1)!.event.type}`;
      if (events.filter(({ event }) => event.type === 'PhaseStarted').length !== 1)
        yield `${agent} phase ${phase} did not start once`;
      if (ends.length === 0 && ended.includes(phase)) yield `${agent} phase ${phase} was taken for ended and is not`;
    }
  }
}

const remainsAfterEnd: string[] = [];

function* inTurn(agent: string, what: string, numbers: readonly number[], most: number): Iterable<string> {
  numbers.forEach((phase, index) => {
    if (phase !== index + 1) remainsAfterEnd.push(`${agent}: the ${what} phases are ${numbers.join(', ')}`);
  });
  if (numbers.length > most) remainsAfterEnd.push(`${agent}: ${numbers.length} phases ${what}, ${most} there`);
  yield* remainsAfterEnd.splice(0);
}
