import { setTimeout as sleep } from 'node:timers/promises';
import {
  compareTailPositions,
  estimateHandledEvents,
  readLatestTailPosition,
  readTailLag,
  type TailLag,
} from '@phaseline/event-store';
import { findBehindJobs, type BehindJob } from '@phaseline/projections';
import { formatAge, pluralise } from '../../output/quantities.js';
import { fail, ok, formatList, warn, type Check, type Finding } from '../check.js';
import type { DoctorTarget } from '../doctor-target.js';
import { hasTable } from './anchors.js';

/** A lag of more than this many times the limit is a failure. */
const FAILURE_FACTOR = 10;
/** Readers store their checkpoints every second or two. A checkpoint that does not change within this time may be stuck. */
const CHECKPOINT_INTERVAL_MS = 2_500;
/** Each mirror belongs to one machine. The rows of a removed machine remain in the table. */
const MIRROR_NAME = /^mirror-/;

/** Reports the lag of each reader of the log, partitions without a reader, and jobs that the read models cannot fold. */
export const readers: Check = {
  name: 'readers',
  needs: ['schema'],
  run: async function* (target) {
    const { pool, limits, processes } = target;
    const [partitions, reports] = await Promise.all([readTailLag(pool), processes.listReports()]);
    const isOrchestratorRunning = reports.some(({ isDead, service }) => !isDead && service === 'orchestrator');
    for (const [name, own] of Map.groupBy(partitions, (partition) => partition.name)) {
      const free = own.filter(({ owner }) => owner === undefined);
      if (free.length > 0) yield reportUnowned(name, free.length, own.length, isOrchestratorRunning);
      const held = own.filter(({ owner, isHeldBack }) => owner !== undefined && !isHeldBack);
      const worst = Math.max(0, ...held.map(({ behindMs }) => behindMs ?? 0));
      if (worst > limits.readerLagMs)
        yield (await reportCatchUp(target, name, held, worst)) ?? reportLag(name, worst, limits.readerLagMs, held);
    }
    const blocked = (await hasTable({ pool }, 'read_models_behind')) ? [...(await findBehindJobs(pool)).values()] : [];
    const newer = blocked.filter(({ reason }) => reason === undefined);
    if (newer.length > 0) yield reportNewerEvents(newer);
    for (const job of blocked) if (job.reason !== undefined) yield reportUnreadable(job, job.reason);
    const names = [...new Set(partitions.map(({ name }) => name))];
    return ok(names.length === 0 ? 'the log has no readers yet' : `up to date: ${names.join(', ')}`);
  },
};

function reportNewerEvents(jobs: readonly BehindJob[]): Finding {
  const events = [...new Set(jobs.map(({ type, schemaVersion }) => `${type}, version ${schemaVersion}`))];
  return warn(
    `the read models do not advance for ${pluralise(jobs.length, 'job')} because of events of a newer release (${formatList(events)}): ` +
      `${formatList(jobs.map(({ jobId }) => jobId))}; other jobs are not affected`,
    'start an orchestrator of that release, which folds them within seconds. If there never was such a release, an event was written by hand: ' +
      `phaseline fork ${jobs[0]!.jobId} --at ${jobs[0]!.position - 1} continues from before it`,
  );
}

function reportUnreadable({ jobId, position }: BehindJob, reason: string): Finding {
  return warn(
    `job ${jobId} cannot be read from position ${position} on: ${reason} Other jobs are not affected.`,
    `phaseline fork ${jobId} --at ${position - 1} continues from before it; phaseline cancel ${jobId} ends it; or run a release that can read it`,
  );
}

function reportUnowned(name: string, free: number, all: number, isOrchestratorRunning: boolean): Finding {
  const text = `${free === all ? pluralise(all, 'partition') : `${free} of ${all} partitions`} of ${name} without a reader`;
  if (MIRROR_NAME.test(name))
    return warn(
      `${text}, the mirror of a machine's workspaces`,
      `start the tool-runner there; if that machine no longer exists: DELETE FROM phaseline.subscriptions WHERE name = '${name}'`,
    );
  if (!isOrchestratorRunning)
    return warn(`${text}: no orchestrator is running`, 'phaseline up, or start an orchestrator');
  return fail(
    `${text}, although an orchestrator is running`,
    'restart the orchestrators; the lease of a dead one expires after 10 s',
  );
}

/** Recognises a reader that is catching up with a long log: its checkpoint advances, so restarting it would not help. */
async function reportCatchUp(
  { pool, signal }: DoctorTarget,
  name: string,
  held: readonly TailLag[],
  worst: number,
): Promise<Finding | undefined> {
  await sleep(CHECKPOINT_INTERVAL_MS, undefined, { signal });
  const now = await readTailLag(pool, { name });
  const before = held.find(({ behindMs }) => behindMs === worst);
  const after = now.find(({ partition }) => partition === before?.partition);
  if (!before || !after || compareTailPositions(after.checkpoint, before.checkpoint) === 0) return undefined;
  const { position } = await readLatestTailPosition(pool);
  const [done, all] = [estimateHandledEvents(now, position), position].map((count) => count.toLocaleString('en-US'));
  return warn(`${name} is catching up with the log: ${done} of ${all} events`, 'wait until it has caught up');
}

function reportLag(name: string, worst: number, limit: number, held: readonly TailLag[]): Finding {
  const owner = held.find(({ behindMs }) => behindMs === worst)?.owner;
  const text = `${name} is ${formatAge(worst)} behind the log (${owner})`;
  const advice = `see the log of ${owner}; if it shows no reason, restart it`;
  return worst > limit * FAILURE_FACTOR ? fail(text, advice) : warn(text, advice);
}
