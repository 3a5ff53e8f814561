import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableServices } from './faults/unavailable-services.js';
import { CHAOS_AGENTS } from './agent/chaos-definitions.js';
import { FaultPointNotReached } from './faults/fault-point-not-reached.js';
import type { Fault, FaultContext } from './faults/fault.js';
import { Fleet, type FleetOptions } from './fleet/fleet.js';
import { JobLoad } from './fleet/job-load.js';
import { People } from './fleet/people.js';
import { judgeAll } from './judge/judge-all.js';
import type { JobOutcome } from './judge/judge-job.js';
import { LogReader } from './judge/log-reader.js';
import { randomFrom } from '@phaseline/harness';

export interface ChaosOptions extends FleetOptions {
  readonly faults: readonly Fault[];
  /** Number of jobs kept running. */
  readonly jobsAtOnce: number;
  /** Pause between two injections, in milliseconds. */
  readonly pauseMs: number;
  readonly seed: number;
  readonly onProgress: (line: string) => void;
}

interface FaultFigures {
  readonly name: string;
  injected: number;
  /** Injections whose fault point no process reached. */
  notReached: number;
  /** Jobs running during the fault, counted once per injection. */
  jobs: number;
  survived: number;
  lost: number;
  doubled: number;
}

export interface ChaosReport {
  readonly backend: FleetOptions['backend'];
  readonly faults: readonly FaultFigures[];
  readonly jobs: readonly JobOutcome[];
  /** Events whose hash was recomputed, and how many hashes were wrong. */
  readonly audit: { readonly events: number; readonly problems: number };
  /** Entries of the inbox after every job has ended. */
  readonly stillWaiting: number;
  readonly elapsedMs: number;
  /** Whether every fault was injected, every job survived, no effect was doubled and the hashes of the log are right. */
  readonly passed: boolean;
}

/** If no job ends for this long, the remaining ones count as lost. Queues wait up to 30 s between attempts. */
const STALL_MS = 90_000;

/** Starts a fleet, injects one fault after the other while jobs run, and judges every job by the log and by the recorded effects. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const started = Date.now();
  const { backend, onProgress, faults, pauseMs } = options;
  const fleet = await Fleet.start(options);
  const log = new LogReader(fleet.database.ownerUrl);
  try {
    onProgress(`${backend}: ${options.replicas} replicas of each service are ready after ${seconds(started)}`);
    if (options.keep) onProgress(`${backend}: logs and data are in ${fleet.folder}`);
    const load = new JobLoad(fleet.apiUrls, log, options.jobsAtOnce, CHAOS_AGENTS);
    const people = new People(fleet.apiUrls);
    const away = new UnavailableServices(fleet);
    const figures = new Map<string, FaultFigures>();
    const hit: { readonly figures: FaultFigures; readonly jobs: readonly string[] }[] = [];
    load.start();
    people.start();
    for (const [index, fault] of faults.entries()) {
      await away.waitForAllReplicas(fault.affectedServices);
      const entry = figures.get(fault.name) ?? emptyFigures(fault.name);
      figures.set(fault.name, entry);
      const before = [...load.openJobs];
      const note = await inject(fault, { fleet, people }, away, options, entry);
      // Includes jobs submitted while the fault waited for a process to reach its point.
      hit.push({ figures: entry, jobs: [...new Set([...before, ...load.openJobs])] });
      onProgress(
        `${backend} ${index + 1}/${faults.length}: ${fault.name}${note}; ${load.submittedJobs.size} jobs, ${load.openJobs.size} running`,
      );
      await sleep(pauseMs);
    }
    await away.waitForAll();
    if (!(await load.finish(STALL_MS))) onProgress(`${backend}: ${load.openJobs.size} jobs did not end`);
    await people.stop();
    const stillWaiting = await people.readInbox();
    const jobOutcomes = await judgeAll(load.submittedJobs, log, fleet, people.decisions);
    const byId = new Map(jobOutcomes.map((jobOutcome) => [jobOutcome.jobId, jobOutcome]));
    for (const { figures: entry, jobs } of hit) addOutcomes(entry, jobs, byId);
    const chain = await log.verify();
    const audit = { events: chain.events, problems: chain.problemCount };
    const faultList = [...figures.values()];
    return {
      backend,
      faults: faultList,
      jobs: jobOutcomes,
      audit,
      stillWaiting: stillWaiting.length,
      elapsedMs: Date.now() - started,
      passed:
        // Without a job nothing was tested.
        jobOutcomes.length > 0 &&
        audit.problems === 0 &&
        stillWaiting.length === 0 &&
        jobOutcomes.every(({ losses, doubled }) => losses.length === 0 && doubled === 0) &&
        faultList.every(({ notReached }) => notReached === 0),
    };
  } finally {
    await log.close();
    await fleet.close();
  }
}

async function inject(
  fault: Fault,
  target: Pick<FaultContext, 'fleet' | 'people'>,
  away: UnavailableServices,
  { seed }: ChaosOptions,
  entry: FaultFigures,
): Promise<string> {
  try {
    await fault.inject({
      ...target,
      random: randomFrom(seed + entry.injected),
      markUnavailable: (...work) => away.markUntil(...work),
    });
    entry.injected += 1;
    return '';
  } catch (error) {
    if (!(error instanceof FaultPointNotReached)) throw error;
    entry.notReached += 1;
    return `: NOT REACHED (${error.message})`;
  }
}

function emptyFigures(name: string): FaultFigures {
  return { name, injected: 0, notReached: 0, jobs: 0, survived: 0, lost: 0, doubled: 0 };
}

function addOutcomes(entry: FaultFigures, jobs: readonly string[], jobOutcomes: ReadonlyMap<string, JobOutcome>): void {
  for (const jobId of jobs) {
    const jobOutcome = jobOutcomes.get(jobId);
    entry.jobs += 1;
    if (jobOutcome?.losses.length === 0) entry.survived += 1;
    else entry.lost += 1;
    entry.doubled += jobOutcome?.doubled ?? 0;
  }
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
