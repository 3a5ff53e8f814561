import { setTimeout as sleep } from 'node:timers/promises';
import type { FiredFault } from '@phaseline/fault-points';
import { percentile } from '@phaseline/harness';
import { armAndAwait } from '../faults/fire-fault-point.js';
import { listServicesAt } from '../faults/point-faults.js';
import { Fleet, type FleetOptions } from '../fleet/fleet.js';
import { JobLoad } from '../fleet/job-load.js';
import { serviceNames } from '../fleet/programs.js';
import { judgeAll } from '../judge/judge-all.js';
import type { JobOutcome } from '../judge/judge-job.js';
import { LogReader } from '../judge/log-reader.js';
import { readEffects } from '../judge/read-effects.js';
import { parseJobId, recoveryKinds, type RecoveryKind } from './recovery-kinds.js';

export interface RecoveryOptions extends FleetOptions {
  /** Kills per kind of loss. */
  readonly kills: number;
  /** Rounds in which the event loops of a worker, a tool-runner and an orchestrator are blocked. */
  readonly blocks: number;
  readonly jobsAtOnce: number;
  readonly onProgress: (line: string) => void;
}

export interface RecoveryReport {
  readonly backend: FleetOptions['backend'];
  /** Sorted times from SIGKILL until another process continued the work, in milliseconds. */
  readonly kinds: readonly { readonly name: string; readonly ms: readonly number[] }[];
  readonly blocks: BlockFigures;
  readonly lost: number;
  readonly doubled: number;
  /** Whether nothing was lost, the 99th percentile of each kind is below ten seconds, and no blocked process was declared dead. */
  readonly passed: boolean;
}

interface BlockFigures {
  readonly blocked: number;
  /** PhaseTakenOver events and calls of unknown outcome, although no process was lost. */
  readonly takeovers: number;
  /** Partitions of the log that moved to another orchestrator. */
  readonly partitionsMoved: number;
}

/** Maximum time until a lost process is noticed and its work is restarted. */
const MAX_RECOVERY_MS = 10_000;
/** Time for which an event loop may be blocked without the process being declared dead. */
export const BLOCK_MS = 5_000;
const STALL_MS = 90_000;
/** Longer recoveries are recorded with this time. */
const GIVE_UP_MS = 60_000;

/** Kills processes in the middle of their work and measures when others continue it. Then blocks event loops, which must not cause a takeover. */
export async function measureRecovery(options: RecoveryOptions): Promise<RecoveryReport> {
  const { backend, onProgress } = options;
  const fleet = await Fleet.start(options);
  const log = new LogReader(fleet.database.ownerUrl);
  try {
    const times = new Map(recoveryKinds.map((kind) => [kind, [] as number[]]));
    const killed = await underLoad(fleet, log, options, async () => {
      for (let round = 1; round <= options.kills; round += 1) {
        // One at a time: a second loss would distort the measurement.
        for (const kind of recoveryKinds) {
          await fleet.waitUntilReady(serviceNames);
          const fired = await armAndAwait(fleet.ordersFolder, kind.point, { kind: 'kill' });
          times.get(kind)!.push(await awaitRecovery(kind, fired, log, fleet));
        }
        const latest = recoveryKinds.map((kind) => seconds(times.get(kind)!.at(-1)!));
        onProgress(`${backend}: kills ${round}/${options.kills}, recovered after ${latest.join(', ')}`);
      }
      await fleet.waitUntilReady(serviceNames);
    });
    // Processes that have just started may still be joining.
    await sleep(2_000);
    const partitions = await log.sumPartitionEpochs();
    let blocked = 0;
    const afterBlocks = await underLoad(fleet, log, options, async () => {
      for (let round = 1; round <= options.blocks; round += 1) {
        await blockOneOfEach(fleet);
        blocked += BLOCK_POINTS.length;
        onProgress(`${backend}: blocks ${round}/${options.blocks}`);
      }
    });
    const blocks: BlockFigures = {
      blocked,
      takeovers: sum(afterBlocks, (job) => job.takeovers + job.unknownWithEffect + job.unknownWithoutEffect),
      partitionsMoved: (await log.sumPartitionEpochs()) - partitions,
    };
    const all = [...killed, ...afterBlocks];
    const lost = all.filter(({ losses }) => losses.length > 0).length;
    for (const { jobId, losses } of all) for (const loss of losses) onProgress(`${backend}: ${jobId}: ${loss}`);
    const doubled = sum(all, (job) => job.doubled);
    const kinds = [...times].map(([{ name }, ms]) => ({ name, ms }));
    return {
      backend,
      kinds,
      blocks,
      lost,
      doubled,
      passed:
        killed.length > 0 &&
        afterBlocks.length > 0 &&
        kinds.every(({ ms }) => ms.length === options.kills) &&
        lost === 0 &&
        doubled === 0 &&
        blocks.takeovers === 0 &&
        blocks.partitionsMoved === 0 &&
        kinds.every(({ ms }) => percentile(ms, 0.99) <= MAX_RECOVERY_MS),
    };
  } finally {
    await log.close();
    await fleet.close();
  }
}

async function underLoad(
  fleet: Fleet,
  log: LogReader,
  { jobsAtOnce }: RecoveryOptions,
  work: () => Promise<void>,
): Promise<JobOutcome[]> {
  const load = new JobLoad(fleet.apiUrls, log, jobsAtOnce);
  load.start();
  await work();
  await load.finish(STALL_MS);
  return judgeAll(load.submittedJobs, log, fleet);
}

async function awaitRecovery(kind: RecoveryKind, fired: FiredFault, log: LogReader, fleet: Fleet): Promise<number> {
  const subject = fired.subject ?? '';
  const jobId = parseJobId(subject);
  for (;;) {
    const allEvents = await log.readEvents(jobId);
    const events = allEvents.filter(({ recordedAt }) => Date.parse(recordedAt) > fired.at);
    const effects = (await readEffects(fleet.effectsFile)).filter((one) => one.jobId === jobId && one.at > fired.at);
    const recoveredAt = kind.findRecoveryTime(subject, events, effects) ?? endTimeOf(events);
    if (recoveredAt !== undefined) return Math.max(0, recoveredAt - fired.at);
    if (Date.now() - fired.at > GIVE_UP_MS) return GIVE_UP_MS;
    await sleep(50);
  }
}

/** Time at which the job ended. A job that ends with the decision has no phase whose recovery could be observed. */
function endTimeOf(events: readonly { readonly type: string; readonly recordedAt: string }[]): number | undefined {
  const end = events.find(({ type }) => type === 'JobCompleted' || type === 'JobFailed');
  return end && Date.parse(end.recordedAt);
}

const BLOCK_POINTS = ['worker.during-model-call', 'tool.after-start', 'orchestrator.decided'] as const;

/** Blocks one process of each kind at the same time, in the middle of its work. */
async function blockOneOfEach(fleet: Fleet): Promise<void> {
  await Promise.all(
    BLOCK_POINTS.map(async (point) => {
      await fleet.waitUntilReady(listServicesAt(point));
      await armAndAwait(fleet.ordersFolder, point, { kind: 'block', ms: BLOCK_MS });
    }),
  );
  // Long enough for a wrong takeover to be recorded.
  await sleep(BLOCK_MS + 3_000);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
