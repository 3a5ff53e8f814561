import { SeededRandom } from '@phaseline/harness';
import { Sampler, type Sample } from '../samples/sampler.js';
import { checkLog, type CheckedLog } from './check-log.js';
import { checkPastStates, type PastStates } from './check-past-states.js';
import { countEndedJobs } from './count-ended-jobs.js';
import { readDatabaseWork, type DatabaseWork } from './database-work.js';
import { readJobTenths, type JobTenth } from './job-tenths.js';
import { readJobTimes, requireSteps } from './job-times.js';
import { createPhasedAgent, PHASED_AGENT, planPhasedJob, type PhasedJob } from './phased-job.js';
import { resumeFork, type Resumption } from './resume-fork.js';
import { StepCounter } from './step-counter.js';
import { waitForCount } from './wait-for-count.js';
import { withStack, type StackRun, type StackRunOptions } from './with-stack.js';

export interface LongJobOptions extends StackRunOptions {
  readonly steps: number;
}

/** A tenth of the job. The work of the database is per step, and includes what all services do at rest. */
interface LongJobTenth extends JobTenth, DatabaseWork {}

export interface LongJobReport {
  readonly queues: 'postgres' | 'redis';
  readonly job: PhasedJob;
  readonly steps: number;
  readonly tenths: readonly LongJobTenth[];
  readonly states: PastStates;
  readonly resumption: Resumption;
  readonly samples: readonly Sample[];
  readonly log: CheckedLog;
}

const SAMPLE_MS = 5_000;
const POLL_MS = 50;
const STATES = 50;

/** Runs one job of many phases, reads its past states, and resumes a fork of it. Throws `RunFailed` if one of both did not complete. */
export async function runLongJob(options: LongJobOptions): Promise<LongJobReport> {
  const job = planPhasedJob(options.steps);
  const counter = new StepCounter();
  return withStack(
    options,
    createPhasedAgent(job, () => counter.add()),
    (run) => measure(run, job, counter, options),
  );
}

async function measure(
  { stack, pool }: StackRun,
  job: PhasedJob,
  counter: StepCounter,
  { queues, seed, note }: LongJobOptions,
): Promise<LongJobReport> {
  const { client } = stack;
  const total = job.phases * job.stepsPerPhase;
  const sampler = await Sampler.start({
    ...{ databaseUrl: stack.databaseUrl, everyMs: SAMPLE_MS },
    ...{ processes: () => stack.processes(), progress: () => counter.steps },
  });
  const readWork = async (): Promise<WorkAtStep> => ({ steps: counter.steps, ...(await readDatabaseWork(pool)) });
  const work = [await readWork()];
  const { jobId } = await client.submit({ agent: PHASED_AGENT });
  const readSteps = async (): Promise<number> => {
    // The last tenth is read when the job has ended.
    if (work.length < 10 && counter.steps >= (work.length * total) / 10) work.push(await readWork());
    return counter.steps;
  };
  await waitForCount({ what: 'steps', target: total, read: readSteps, note, pollMs: POLL_MS });
  await waitForCount({ what: 'jobs ended', target: 1, read: () => countEndedJobs(client), note });
  work.push(await readWork());
  const samples = await sampler.stop();
  const steps = requireSteps(await readJobTimes(pool, 1), total);
  const tenths = await readJobTenths(pool, jobId);
  note(`reading the state at ${STATES} positions`);
  const states = await checkPastStates({ client, pool }, { jobId, count: STATES, random: new SeededRandom(seed) });
  const resumption = await resumeFork({ stack, pool }, { jobId, job, counter, note });
  return {
    ...{ queues, job, steps, states, resumption, samples },
    tenths: tenths.map((tenth, index) => ({ ...tenth, ...divideWork(work[index], work[index + 1]) })),
    log: await checkLog(pool, note),
  };
}

interface WorkAtStep extends DatabaseWork {
  readonly steps: number;
}

/** Work per step between two readings. Not a number if no step was between them, because the job was too short to be read in time. */
function divideWork(before: WorkAtStep | undefined, after: WorkAtStep | undefined): DatabaseWork {
  const divide = (key: keyof DatabaseWork): number =>
    before && after ? (after[key] - before[key]) / (after.steps - before.steps) : Number.NaN;
  return { commits: divide('commits'), rows: divide('rows'), pages: divide('pages') };
}
