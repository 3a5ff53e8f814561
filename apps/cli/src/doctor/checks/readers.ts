import { setTimeout as sleep } from 'node:timers/promises';
import { compareTail, handledEvents, latestHorizon, tailLag, type TailLag } from '@phaseline/event-store';
import { behindJobs, type BehindJob } from '@phaseline/projections';
import { age, counted } from '../../output/quantities.js';
import { fail, ok, some, warn, type Check, type Finding } from '../check.js';
import type { Patient } from '../patient.js';
import { hasTable } from './seals.js';

/** Slow becomes standing at so many times the limit. */
const STANDS = 10;
/** Readers write their checkpoints down every second or two; one that has not moved in this time may stand still. */
const MOVES_WITHIN_MS = 2_500;
/** Mirrors belong to one machine each, and one that was taken away leaves its rows. */
const OF_ONE_MACHINE = /^mirror-/;

/** Readers of the log: how far each is behind, partitions that nobody reads, and jobs that the read models leave standing. */
export const readers: Check = {
  name: 'readers',
  needs: ['schema'],
  run: async (patient) => {
    const { pool, limits, processes } = patient;
    const [partitions, reports] = await Promise.all([tailLag(pool), processes.report()]);
    const running = reports.some(({ dead, service }) => !dead && service === 'orchestrator');
    const findings: Finding[] = [];
    for (const [name, own] of Map.groupBy(partitions, (partition) => partition.name)) {
      const free = own.filter(({ owner }) => owner === undefined);
      if (free.length > 0) findings.push(unowned(name, free.length, own.length, running));
      const held = own.filter(({ owner, gated }) => owner !== undefined && !gated);
      const worst = Math.max(0, ...held.map(({ behindMs }) => behindMs ?? 0));
      if (worst > limits.lagMs)
        findings.push((await catchingUp(patient, name, held, worst)) ?? behind(name, worst, limits.lagMs, held));
    }
    const standing = (await hasTable({ pool }, 'read_models_behind')) ? [...(await behindJobs(pool)).values()] : [];
    const newer = standing.filter(({ reason }) => reason === undefined);
    if (newer.length > 0) findings.push(stand(newer));
    for (const job of standing) if (job.reason !== undefined) findings.push(unreadable(job, job.reason));
    if (findings.length > 0) return findings;
    const names = [...new Set(partitions.map(({ name }) => name))];
    return ok(names.length === 0 ? 'nobody has read the log yet' : `${names.join(', ')} keep up`);
  },
};

function stand(jobs: readonly BehindJob[]): Finding {
  const events = [...new Set(jobs.map(({ type, schemaVersion }) => `${type}, version ${schemaVersion}`))];
  return warn(
    `${counted(jobs.length, 'job')} stand still in the read models, before events of a newer release (${some(events)}): ` +
      `${some(jobs.map(({ jobId }) => jobId))}; others do not`,
    'start an orchestrator of that release: it folds them within seconds. If there never was one, an event was written by hand: ' +
      `phaseline fork ${jobs[0]!.jobId} --at ${jobs[0]!.position - 1} continues from before it`,
  );
}

function unreadable({ jobId, position }: BehindJob, reason: string): Finding {
  return warn(
    `job ${jobId} cannot be read from position ${position} on: ${reason} Other jobs are not affected`,
    `phaseline fork ${jobId} --at ${position - 1} continues from before it; phaseline cancel ${jobId} ends it; or run a release that reads it`,
  );
}

function unowned(name: string, free: number, all: number, running: boolean): Finding {
  const text = `nobody reads ${free === all ? counted(all, 'partition') : `${free} of ${all} partitions`} of ${name}`;
  if (OF_ONE_MACHINE.test(name))
    return warn(
      `${text}, the mirror of a machine's workspaces`,
      `start the tool-runner there; if that machine is gone: DELETE FROM phaseline.subscriptions WHERE name = '${name}'`,
    );
  if (!running) return warn(`${text}: no orchestrator runs`, 'phaseline up, or start an orchestrator');
  return fail(
    `${text}, although an orchestrator runs`,
    'restart the orchestrators; a lease of one that died lasts 10 s',
  );
}

/** A reader with a long log before it is at work as long as its checkpoints move: restarting it would gain nothing. */
async function catchingUp(
  { pool, signal }: Patient,
  name: string,
  held: readonly TailLag[],
  worst: number,
): Promise<Finding | undefined> {
  await sleep(MOVES_WITHIN_MS, undefined, { signal });
  const now = await tailLag(pool, { name });
  const then = held.find(({ behindMs }) => behindMs === worst);
  const one = now.find(({ partition }) => partition === then?.partition);
  if (!then || !one || compareTail(one.checkpoint, then.checkpoint) === 0) return undefined;
  const { position } = await latestHorizon(pool);
  const [done, all] = [handledEvents(now, position), position].map((count) => count.toLocaleString('en-US'));
  return warn(`${name} is catching up with the log: ${done} of ${all} events`, 'wait: it is at work');
}

function behind(name: string, worst: number, limit: number, held: readonly TailLag[]): Finding {
  const owner = held.find(({ behindMs }) => behindMs === worst)?.owner;
  const text = `${name} is ${age(worst)} behind the log (${owner})`;
  const mend = `look at the log of ${owner}; if it does not say why, restart it`;
  return worst > limit * STANDS ? fail(text, mend) : warn(text, mend);
}
