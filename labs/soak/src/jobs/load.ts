import { setTimeout as sleep } from 'node:timers/promises';
import { SeededRandom } from '@phaseline/harness';
import { Sampler, type Sample } from '../samples/sampler.js';
import { checkLog, type CheckedLog } from './check-log.js';
import { compareMemory, type MemoryGrowth } from './compare-memory.js';
import { countEndedJobs } from './count-ended-jobs.js';
import { readJobTimes, requireSteps, type JobTimes } from './job-times.js';
import { RunFailed } from './run-failed.js';
import { createShortJob, shortJobAgent } from './short-job.js';
import { summariseDurations, type Spread } from './spread.js';
import { waitForCount } from './wait-for-count.js';
import { withStack, type StackRun, type StackRunOptions } from './with-stack.js';

export interface LoadOptions extends StackRunOptions {
  readonly minutes: number;
  readonly jobsPerMinute: number;
}

/** The jobs that were submitted in one minute. */
export interface LoadMinute {
  readonly minute: number;
  readonly submitted: number;
  /** Jobs that completed in this minute, whenever they were submitted. */
  readonly completed: number;
  /** Milliseconds from the submission to the first model call. */
  readonly waitMs: Spread;
  /** Milliseconds from the submission to the end. */
  readonly totalMs: Spread;
}

export interface LoadReport {
  readonly queues: 'postgres' | 'redis';
  readonly jobs: number;
  readonly steps: number;
  readonly jobsPerMinute: number;
  readonly minutes: readonly LoadMinute[];
  readonly memory: readonly MemoryGrowth[];
  readonly samples: readonly Sample[];
  readonly log: CheckedLog;
}

const SAMPLE_MS = 5_000;
const NOTE_MS = 5_000;
const MINUTE_MS = 60_000;

/** Submits jobs at a constant rate, whether or not earlier ones have ended, then waits for all. Throws `RunFailed` if one did not complete. */
export function runLoad(options: LoadOptions): Promise<LoadReport> {
  return withStack(options, shortJobAgent, (run) => measure(run, options));
}

async function measure({ stack, pool }: StackRun, options: LoadOptions): Promise<LoadReport> {
  const { minutes, jobsPerMinute, queues, seed, note } = options;
  const { client } = stack;
  const random = new SeededRandom(seed);
  const planned = Array.from({ length: minutes * jobsPerMinute }, () => createShortJob(random));
  let accepted = 0;
  const sampler = await Sampler.start({
    ...{ databaseUrl: stack.databaseUrl, everyMs: SAMPLE_MS },
    ...{ processes: () => stack.processes(), progress: () => accepted },
  });
  const began = performance.now();
  let notedAt = began;
  const submissions: Promise<void>[] = [];
  const failures: unknown[] = [];
  for (const [index, { request }] of planned.entries()) {
    await sleep(Math.max(0, began + (index * MINUTE_MS) / jobsPerMinute - performance.now()));
    const submission = client.submit(request).then(
      () => void (accepted += 1),
      (error: unknown) => void failures.push(error),
    );
    submissions.push(submission);
    if (failures.length > 0) throw new RunFailed('a submission was not accepted', { cause: failures[0] });
    if (performance.now() - notedAt < NOTE_MS) continue;
    notedAt = performance.now();
    note(`jobs accepted: ${accepted.toLocaleString('en-US')} of ${planned.length.toLocaleString('en-US')}`);
  }
  await Promise.all(submissions);
  if (failures.length > 0) throw new RunFailed('a submission was not accepted', { cause: failures[0] });
  // Memory is compared under load only, so the samples end here.
  const samples = await sampler.stop();
  await waitForCount({ what: 'jobs ended', target: planned.length, read: () => countEndedJobs(client), note });
  const times = await readJobTimes(pool, planned.length);
  return {
    ...{ queues, jobsPerMinute, samples },
    jobs: times.length,
    steps: requireSteps(
      times,
      planned.reduce((sum, { steps }) => sum + steps, 0),
    ),
    minutes: groupByMinute(times, minutes),
    memory: compareMemory(samples),
    log: await checkLog(pool, note),
  };
}

/** Groups jobs by the minute of their submission. A minute without a submission is left out. */
export function groupByMinute(times: readonly JobTimes[], minutes: number): readonly LoadMinute[] {
  const began = Math.min(...times.map(({ submittedAt }) => submittedAt));
  const minuteOf = (at: number): number => Math.min(minutes, Math.floor((at - began) / MINUTE_MS) + 1);
  return Array.from({ length: minutes }, (_, index) => index + 1).flatMap((minute) => {
    const own = times.filter(({ submittedAt }) => minuteOf(submittedAt) === minute);
    if (own.length === 0) return [];
    return {
      ...{ minute, submitted: own.length },
      completed: times.filter(({ completedAt }) => minuteOf(completedAt) === minute).length,
      waitMs: summariseDurations(own.map(({ submittedAt, startedAt }) => startedAt - submittedAt)),
      totalMs: summariseDurations(own.map(({ submittedAt, completedAt }) => completedAt - submittedAt)),
    };
  });
}
