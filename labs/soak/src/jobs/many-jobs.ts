import { SeededRandom } from '@phaseline/harness';
import { Sampler, type Sample } from '../samples/sampler.js';
import { checkLog, type CheckedLog } from './check-log.js';
import { countEndedJobs } from './count-ended-jobs.js';
import { doConcurrently } from './do-concurrently.js';
import { readJobTimes, requireSteps } from './job-times.js';
import { createShortJob, shortJobAgent } from './short-job.js';
import { summariseDurations, type Spread } from './spread.js';
import { waitForCount } from './wait-for-count.js';
import { withStack, type StackRun, type StackRunOptions } from './with-stack.js';

export interface ManyJobsOptions extends StackRunOptions {
  readonly jobs: number;
}

export interface ManyJobsReport {
  readonly queues: 'postgres' | 'redis';
  readonly jobs: number;
  /** Answers of the model in all jobs. */
  readonly steps: number;
  /** Seconds from the first submission until the last one was accepted. */
  readonly submitSeconds: number;
  /** Seconds from the first submission until the last job completed, by the clock of the database. */
  readonly seconds: number;
  /** Milliseconds from the submission of a job to its first model call. */
  readonly waitMs: Spread;
  /** Milliseconds from the first model call of a job to its end. */
  readonly runMs: Spread;
  readonly samples: readonly Sample[];
  readonly log: CheckedLog;
}

/**
 * Submissions that are sent at once. All of them at once would need a connection each, and the last ones would time out before the server
 * has accepted the first ones.
 */
export const CONCURRENT_REQUESTS = 64;
const SAMPLE_MS = 5_000;

/** Submits all jobs over HTTP as fast as they are accepted, and waits until all have ended. Throws `RunFailed` if one did not complete. */
export function runManyJobs(options: ManyJobsOptions): Promise<ManyJobsReport> {
  return withStack(options, shortJobAgent, (run) => measure(run, options));
}

async function measure({ stack, pool }: StackRun, options: ManyJobsOptions): Promise<ManyJobsReport> {
  const { jobs, queues, seed, note } = options;
  const { client } = stack;
  const random = new SeededRandom(seed);
  const planned = Array.from({ length: jobs }, () => createShortJob(random));
  let ended = 0;
  const sampler = await Sampler.start({
    ...{ databaseUrl: stack.databaseUrl, everyMs: SAMPLE_MS },
    ...{ processes: () => stack.processes(), progress: () => ended },
  });
  const began = performance.now();
  note(`submitting ${jobs.toLocaleString('en-US')} jobs`);
  await doConcurrently(planned, CONCURRENT_REQUESTS, ({ request }) => client.submit(request));
  const submitSeconds = (performance.now() - began) / 1_000;
  const read = async (): Promise<number> => (ended = await countEndedJobs(client));
  await waitForCount({ what: 'jobs ended', target: jobs, read, note });
  const samples = await sampler.stop();

  const times = await readJobTimes(pool, jobs);
  const expected = planned.reduce((sum, { steps }) => sum + steps, 0);
  const last = Math.max(...times.map(({ completedAt }) => completedAt));
  return {
    ...{ queues, jobs, submitSeconds, samples },
    steps: requireSteps(times, expected),
    seconds: (last - times[0]!.submittedAt) / 1_000,
    waitMs: summariseDurations(times.map(({ submittedAt, startedAt }) => startedAt - submittedAt)),
    runMs: summariseDurations(times.map(({ startedAt, completedAt }) => completedAt - startedAt)),
    log: await checkLog(pool, note),
  };
}
