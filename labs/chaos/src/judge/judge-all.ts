import { expectedOutput } from '../agent/chaos-job.js';
import type { Fleet } from '../fleet/fleet.js';
import { judgeJob, type JobVerdict } from './judge-job.js';
import type { LogReader } from './log-reader.js';
import { readEffects } from './read-effects.js';

/** Judges each of these jobs by the log and by the recorded effects. */
export async function judgeAll(jobIds: Iterable<string>, log: LogReader, fleet: Fleet): Promise<JobVerdict[]> {
  const effects = Map.groupBy(await readEffects(fleet.effectsFile), ({ jobId }) => jobId);
  const expected = expectedOutput(fleet.options.shape);
  const verdicts: JobVerdict[] = [];
  for (const jobId of jobIds)
    verdicts.push(judgeJob(jobId, await log.events(jobId), effects.get(jobId) ?? [], expected));
  return verdicts;
}
