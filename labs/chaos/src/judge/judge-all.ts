import type { JobId } from '@phaseline/contracts';
import { expectedOutput } from '../agent/chaos-job.js';
import type { Fleet } from '../fleet/fleet.js';
import { judgeJob, type JobOutcome } from './judge-job.js';
import type { LogReader } from './log-reader.js';
import { readEffects } from './read-effects.js';

/** Judges each of these jobs by the log and by the recorded effects. */
export async function judgeAll(jobIds: Iterable<JobId>, log: LogReader, fleet: Fleet): Promise<JobOutcome[]> {
  const effects = Map.groupBy(await readEffects(fleet.effectsFile), ({ jobId }) => jobId);
  const expected = expectedOutput(fleet.options.shape);
  const jobOutcomes: JobOutcome[] = [];
  for (const jobId of jobIds)
    jobOutcomes.push(judgeJob(jobId, await log.readEvents(jobId), effects.get(jobId) ?? [], expected));
  return jobOutcomes;
}
