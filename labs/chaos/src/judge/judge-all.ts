import type { JobId } from '@phaseline/contracts';
import { expectedOutput } from '../agent/chaos-job.js';
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
  const expected = expectedOutput(fleet.options.shape);
  const jobOutcomes: JobOutcome[] = [];
  for (const jobId of jobIds)
    jobOutcomes.push(
      judgeJob(jobId, await log.readEvents(jobId), effects.get(jobId) ?? [], expected, decided.get(jobId)),
    );
  return jobOutcomes;
}
