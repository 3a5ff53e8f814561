import type { JobId } from '@phaseline/contracts';
import type { RecordedEvent } from '@phaseline/event-store';
import { COMMANDS_AGENT } from '../agent/chaos-definitions.js';
import { expectedOfCommands, expectedOutput } from '../agent/chaos-job.js';
import type { Fleet } from '../fleet/fleet.js';
import type { SentDecision } from '../fleet/people.js';
import { judgeJob, type JobOutcome } from './judge-job.js';
import type { LogReader } from './log-reader.js';
import { readEffects } from './read-effects.js';

/** Judges each of these jobs by the log, by the recorded effects, and by what people were told about their decisions. */
export async function judgeAll(
  jobIds: Iterable<JobId>,
  log: LogReader,
  fleet: Fleet,
  decisions: readonly SentDecision[] = [],
): Promise<JobOutcome[]> {
  const effects = Map.groupBy(await readEffects(fleet.effectsFile), ({ jobId }) => jobId);
  const decided = Map.groupBy(decisions, ({ jobId }) => jobId);
  const { shape } = fleet.options;
  const expected = expectedOutput(shape);
  const expectedWithCommands = { ...expected, ...expectedOfCommands(shape) };
  const jobOutcomes: JobOutcome[] = [];
  for (const jobId of jobIds) {
    const events = await log.readEvents(jobId);
    const files = runsCommands(events) ? expectedWithCommands : expected;
    jobOutcomes.push(judgeJob(jobId, events, effects.get(jobId) ?? [], files, decided.get(jobId)));
  }
  return jobOutcomes;
}

function runsCommands(events: readonly RecordedEvent[]): boolean {
  const submitted = events.find(({ type }) => type === 'JobSubmitted');
  return (submitted?.data['agent'] as { name?: unknown } | undefined)?.name === COMMANDS_AGENT;
}
