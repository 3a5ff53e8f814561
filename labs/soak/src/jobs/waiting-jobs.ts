import { setTimeout as sleep } from 'node:timers/promises';
import type { InboxItem, PhaselineClient } from '@phaseline/client';
import { Sampler, type Sample } from '../samples/sampler.js';
import { ANSWER, ASKING_AGENT, ASKING_JOB_STEPS, askingJobAgent } from './asking-job.js';
import { checkLog, type CheckedLog } from './check-log.js';
import { countEndedJobs } from './count-ended-jobs.js';
import { doConcurrently } from './do-concurrently.js';
import { readJobTimes, requireSteps } from './job-times.js';
import { CONCURRENT_REQUESTS } from './many-jobs.js';
import { RunFailed } from './run-failed.js';
import { waitForCount } from './wait-for-count.js';
import { withStack, type StackRun, type StackRunOptions } from './with-stack.js';

export interface WaitingJobsOptions extends Omit<StackRunOptions, 'seed'> {
  readonly jobs: number;
  /** Seconds for which commits are counted while all jobs wait. */
  readonly restSeconds: number;
}

export interface WaitingJobsReport {
  readonly queues: 'postgres' | 'redis';
  readonly jobs: number;
  readonly steps: number;
  /** Seconds from the first submission until all jobs waited. */
  readonly askSeconds: number;
  /** While all jobs waited. */
  readonly rest: {
    readonly seconds: number;
    readonly commitsPerSecond: number;
    /** Resident memory by service at the end. */
    readonly rssMiB: Sample['rssMiB'];
  };
  /** Number of answers that were accepted over HTTP. */
  readonly answered: number;
  /** Seconds from the first answer until the last one was accepted, and until all jobs had ended. */
  readonly answerSeconds: number;
  readonly endSeconds: number;
  readonly samples: readonly Sample[];
  readonly log: CheckedLog;
}

const SAMPLE_MS = 5_000;
/** Time until the stack is at rest: readers poll for some seconds after the last event, and connections report their last commits up to ten seconds late. */
const CALM_MS = 15_000;
const INBOX_PAGE = 200;

/** Runs jobs that each ask a person, measures the stack while all wait, and answers all. Throws `RunFailed` if one did not complete. */
export function runWaitingJobs(options: WaitingJobsOptions): Promise<WaitingJobsReport> {
  return withStack(options, askingJobAgent, (run) => measure(run, options));
}

async function measure({ stack, pool }: StackRun, options: WaitingJobsOptions): Promise<WaitingJobsReport> {
  const { jobs, restSeconds, queues, note } = options;
  const { client } = stack;
  let waiting = 0;
  const startSampler = (everyMs: number): Promise<Sampler> =>
    Sampler.start({
      ...{ databaseUrl: stack.databaseUrl, everyMs },
      ...{ processes: () => stack.processes(), progress: () => waiting },
    });
  const sampler = await startSampler(SAMPLE_MS);
  let began = performance.now();
  const submissions = Array.from({ length: jobs }, () => ({ agent: ASKING_AGENT }));
  await doConcurrently(submissions, CONCURRENT_REQUESTS, (request) => client.submit(request));
  const countWaiting = async (): Promise<number> => (waiting = await countQuestions(client));
  await waitForCount({ what: 'jobs waiting', target: jobs, read: countWaiting, note });
  const askSeconds = (performance.now() - began) / 1_000;
  note(`all jobs wait; counting commits for ${restSeconds} s`);
  await sleep(CALM_MS);
  // Of its own, with a sample at both ends and none between them.
  const resting = await startSampler(restSeconds * 2_000);
  await sleep(restSeconds * 1_000);
  const [first, last] = (await resting.stop()) as [Sample, Sample];

  const items: InboxItem[] = [];
  for await (const item of client.inbox({ kind: 'question', limit: INBOX_PAGE })) items.push(item);
  if (items.length !== jobs) throw new RunFailed(`the inbox shows ${items.length} of ${jobs} questions`);
  began = performance.now();
  note(`answering ${jobs.toLocaleString('en-US')} questions`);
  let answered = 0;
  await doConcurrently(items, CONCURRENT_REQUESTS, async ({ jobId, callId, question }) => {
    const { questionHash } = question!;
    await client.control(jobId, 'answer', { callId: callId!, questionHash, answer: ANSWER });
    answered += 1;
  });
  const answerSeconds = (performance.now() - began) / 1_000;
  const read = async (): Promise<number> => {
    const ended = await countEndedJobs(client);
    waiting = jobs - ended;
    return ended;
  };
  await waitForCount({ what: 'jobs ended', target: jobs, read, note });
  const endSeconds = (performance.now() - began) / 1_000;
  const samples = await sampler.stop();
  const times = await readJobTimes(pool, jobs);
  const seconds = last.seconds - first.seconds;
  return {
    ...{ queues, jobs, askSeconds, answered, answerSeconds, endSeconds, samples },
    steps: requireSteps(times, jobs * ASKING_JOB_STEPS),
    rest: { seconds, commitsPerSecond: (last.commits - first.commits) / seconds, rssMiB: last.rssMiB },
    log: await checkLog(pool, note),
  };
}

async function countQuestions(client: PhaselineClient): Promise<number> {
  const { waitsFor } = await client.countJobs();
  return waitsFor.find(({ value }) => value === 'question')?.jobs ?? 0;
}
