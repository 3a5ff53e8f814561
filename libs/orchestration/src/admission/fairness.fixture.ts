import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Admission, SlotGrant, SlotRequest } from './admission.js';

/** Jobs of one tenant that are submitted together. */
export interface TenantJobs {
  readonly tenant: string;
  readonly jobs: number;
  /** Time of submission in milliseconds of virtual time; default 0. */
  readonly atMs?: number;
}

export interface FairnessRun {
  readonly loads: readonly TenantJobs[];
  /** Number of phases per job, run in sequence with alternating kinds. */
  readonly phases: number;
  /** Mean duration of a phase in milliseconds; each takes between half and one and a half times that. */
  readonly phaseMs: number;
  readonly seed: number;
}

/** Times of one job in milliseconds of virtual time. */
export interface JobTimes {
  readonly tenant: string;
  /** Time spent waiting for a slot, over all phases. */
  readonly waitedMs: number;
  /** Time from the submission to the end of the last phase. */
  readonly tookMs: number;
  readonly endedAtMs: number;
}

/** A scheduled action. Of two at the same time, the one scheduled first runs first. */
interface ScheduledAction {
  readonly at: number;
  readonly order: number;
  readonly run: () => Promise<void>;
}

/**
 * Runs jobs against an admission in virtual time. The duration of a phase counts from the moment it gets a slot; nothing
 * else takes time.
 */
export async function runInVirtualTime(admission: Admission, run: FairnessRun): Promise<JobTimes[]> {
  const random = createRandom(run.seed);
  const agenda: ScheduledAction[] = [];
  let now = 0;
  let scheduledCount = 0;
  const schedule = (at: number, action: () => Promise<void>): void => {
    agenda.push({ at, order: (scheduledCount += 1), run: action });
  };
  const jobs = new Map<string, { request: SlotRequest; submitted: number; requestedAt: number; waited: number }>();
  const finished: JobTimes[] = [];

  const startPhases = (grants: readonly Pick<SlotGrant, 'jobId'>[]): void => {
    for (const { jobId } of grants) {
      const job = jobs.get(jobId)!;
      job.waited += now - job.requestedAt;
      schedule(now + run.phaseMs * (0.5 + random()), () => endPhase(jobId));
    }
  };
  const requestSlot = async (jobId: string): Promise<void> => {
    const job = jobs.get(jobId)!;
    job.requestedAt = now;
    const { isGranted, grantsToOthers } = await admission.requestSlot(job.request);
    startPhases(isGranted ? [{ jobId }, ...grantsToOthers] : grantsToOthers);
  };
  const endPhase = async (jobId: string): Promise<void> => {
    const job = jobs.get(jobId)!;
    const { phase, kind, tenant } = job.request;
    if (phase === run.phases) {
      finished.push({ tenant, waitedMs: job.waited, tookMs: now - job.submitted, endedAtMs: now });
      return startPhases(await admission.releaseSlot(jobId));
    }
    job.request = { ...job.request, phase: phase + 1, kind: kind === 'strategic' ? 'tactical' : 'strategic' };
    await requestSlot(jobId);
  };

  for (const { tenant, jobs: count, atMs = 0 } of run.loads) {
    for (let job = 0; job < count; job += 1) {
      const jobId = randomUUID();
      const request: SlotRequest = { jobId, phase: 1, kind: 'strategic', tenant, priority: 0 };
      jobs.set(jobId, { request, submitted: atMs, requestedAt: atMs, waited: 0 });
      schedule(atMs, () => requestSlot(jobId));
    }
  }
  while (agenda.length > 0) {
    const next = agenda.reduce((a, b) => (b.at < a.at || (b.at === a.at && b.order < a.order) ? b : a));
    agenda.splice(agenda.indexOf(next), 1);
    now = next.at;
    await next.run();
  }
  return finished;
}

/** Returns a generator of numbers from 0 to 1, deterministic per seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One tenant with a very large number of jobs, submitted before those of ten tenants with five jobs each. */
export const flood = (jobs = 1_000): TenantJobs => ({ tenant: 'big', jobs });
export const smallTenants: readonly TenantJobs[] = Array.from({ length: 10 }, (_, index) => ({
  tenant: `small-${index}`,
  jobs: 5,
  atMs: 100_000,
}));

export interface Summary {
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

export function summarise(times: readonly number[]): Summary {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return {
    mean: sorted.reduce((sum, time) => sum + time, 0) / sorted.length,
    p50: at(0.5),
    p95: at(0.95),
    max: at(1),
  };
}

/** Asserts that small tenants wait at most twice as long beside the big one as they do alone. */
export async function expectFair(
  admission: () => Admission | Promise<Admission>,
  run: Omit<FairnessRun, 'loads'>,
  big: TenantJobs = flood(),
): Promise<void> {
  const small = async (loads: readonly TenantJobs[]): Promise<JobTimes[]> =>
    (await runInVirtualTime(await admission(), { ...run, loads })).filter(({ tenant }) => tenant !== 'big');
  const alone = await small(smallTenants);
  const beside = await small([big, ...smallTenants]);
  expect(beside).toHaveLength(alone.length);
  for (const time of ['waitedMs', 'tookMs'] as const) {
    const [expected, found] = [alone, beside].map((times) => summarise(times.map((job) => job[time])));
    for (const figure of ['mean', 'p50', 'p95', 'max'] as const)
      expect(found![figure], `${figure} of ${time}`).toBeLessThanOrEqual(2 * expected![figure]);
  }
}
