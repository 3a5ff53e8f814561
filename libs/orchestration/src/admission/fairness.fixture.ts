import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Admission, GivenSlot, SlotRequest } from './admission.js';

/** Jobs of one tenant that are submitted together. */
export interface Load {
  readonly tenant: string;
  readonly jobs: number;
  /** When, in milliseconds of virtual time; 0 where it is missing. */
  readonly atMs?: number;
}

export interface FairnessRun {
  readonly loads: readonly Load[];
  /** Phases of a job, one after the other, of alternating kinds. */
  readonly phases: number;
  /** How long a phase takes on average, in milliseconds; each takes between a half and one and a half of it. */
  readonly phaseMs: number;
  readonly seed: number;
}

/** What one job went through, in milliseconds of virtual time. */
export interface JobTimes {
  readonly tenant: string;
  /** Without a slot, over all its phases. */
  readonly waitedMs: number;
  /** From its submission until its last phase had ended. */
  readonly tookMs: number;
  readonly endedAtMs: number;
}

/** Something that happens at a time; of two at the same time, the one that was planned first. */
interface Happening {
  readonly at: number;
  readonly order: number;
  readonly run: () => Promise<void>;
}

/** Runs jobs over an admission in virtual time: a phase takes its time from the moment it has a slot, and nothing else takes any. */
export async function runInVirtualTime(admission: Admission, run: FairnessRun): Promise<JobTimes[]> {
  const random = randomOf(run.seed);
  const agenda: Happening[] = [];
  let now = 0;
  let planned = 0;
  const plan = (at: number, happen: () => Promise<void>): void => {
    agenda.push({ at, order: (planned += 1), run: happen });
  };
  const jobs = new Map<string, { request: SlotRequest; submitted: number; asked: number; waited: number }>();
  const done: JobTimes[] = [];

  const begin = (given: readonly Pick<GivenSlot, 'jobId'>[]): void => {
    for (const { jobId } of given) {
      const job = jobs.get(jobId)!;
      job.waited += now - job.asked;
      plan(now + run.phaseMs * (0.5 + random()), () => end(jobId));
    }
  };
  const ask = async (jobId: string): Promise<void> => {
    const job = jobs.get(jobId)!;
    job.asked = now;
    const { granted, others } = await admission.ask(job.request);
    begin(granted ? [{ jobId }, ...others] : others);
  };
  const end = async (jobId: string): Promise<void> => {
    const job = jobs.get(jobId)!;
    const { phase, kind, tenant } = job.request;
    if (phase === run.phases) {
      done.push({ tenant, waitedMs: job.waited, tookMs: now - job.submitted, endedAtMs: now });
      return begin(await admission.leave(jobId));
    }
    job.request = { ...job.request, phase: phase + 1, kind: kind === 'strategic' ? 'tactical' : 'strategic' };
    await ask(jobId);
  };

  for (const { tenant, jobs: count, atMs = 0 } of run.loads) {
    for (let job = 0; job < count; job += 1) {
      const jobId = randomUUID();
      const request: SlotRequest = { jobId, phase: 1, kind: 'strategic', tenant, priority: 0 };
      jobs.set(jobId, { request, submitted: atMs, asked: atMs, waited: 0 });
      plan(atMs, () => ask(jobId));
    }
  }
  while (agenda.length > 0) {
    const next = agenda.reduce((a, b) => (b.at < a.at || (b.at === a.at && b.order < a.order) ? b : a));
    agenda.splice(agenda.indexOf(next), 1);
    now = next.at;
    await next.run();
  }
  return done;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One tenant with very many jobs, which came first, and ten with five each. */
export const flood = (jobs = 1_000): Load => ({ tenant: 'big', jobs });
export const smallTenants: readonly Load[] = Array.from({ length: 10 }, (_, index) => ({
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

export function summaryOf(times: readonly number[]): Summary {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return {
    mean: sorted.reduce((sum, time) => sum + time, 0) / sorted.length,
    p50: at(0.5),
    p95: at(0.95),
    max: at(1),
  };
}

/** Runs the small tenants alone and beside the flood, and compares what their jobs went through. */
export async function expectFair(
  admission: () => Admission | Promise<Admission>,
  run: Omit<FairnessRun, 'loads'>,
  big: Load = flood(),
): Promise<void> {
  const small = async (loads: readonly Load[]): Promise<JobTimes[]> =>
    (await runInVirtualTime(await admission(), { ...run, loads })).filter(({ tenant }) => tenant !== 'big');
  const alone = await small(smallTenants);
  const beside = await small([big, ...smallTenants]);
  expect(beside).toHaveLength(alone.length);
  for (const time of ['waitedMs', 'tookMs'] as const) {
    const [expected, found] = [alone, beside].map((times) => summaryOf(times.map((job) => job[time])));
    for (const figure of ['mean', 'p50', 'p95', 'max'] as const)
      expect(found![figure], `${figure} of ${time}`).toBeLessThanOrEqual(2 * expected![figure]);
  }
}
