import { describeWaiter, isFromNewerRelease, parseStreamName, waiterOf, type Waiter } from '@phaseline/domain';
import { counted } from '../../output/quantities.js';
import { fail, ok, some, warn, type Check, type Finding } from '../check.js';
import type { Patient } from '../patient.js';
import { hasTable } from './seals.js';

/** Jobs that are looked at; there may be more. */
const MOST = 2_000;

interface Waiting {
  readonly jobId: string;
  readonly waiter: Waiter;
  readonly idleMs: number;
}

/** Every job that has not ended names what it waits for; what does not come by itself any more is told. */
export const waiters: Check = {
  name: 'jobs',
  needs: ['schema'],
  run: async (patient) => {
    const { waiting, unreadable } = await openJobs(patient);
    const findings: Finding[] = [];
    if (unreadable.length > 0) findings.push(unreadableJobs(unreadable));
    for (const [model, { jobs, message, since }] of outages(waiting))
      findings.push(
        warn(
          `${counted(jobs, 'job')} wait for the server of the model ${model}, since ${since} at the latest: ${message}`,
          'start the server, or mend the setting that it names; the jobs go on by themselves, and at once after phaseline resume <job>',
        ),
      );
    for (const one of waiting) {
      const problem = await problemOf(patient, one);
      if (problem) findings.push(problem);
    }
    if (findings.length > 0) return findings;
    const kinds = Map.groupBy(waiting, ({ waiter }) => waiter.kind);
    const counts = [...kinds].map(([kind, jobs]) => `${jobs.length} ${kind}`).join(', ');
    return ok(waiting.length === 0 ? 'none is open' : `${counted(waiting.length, 'open job')}, waiting for: ${counts}`);
  },
};

interface Unreadable {
  readonly jobId: string;
  readonly reason: string;
  /** An event of a newer release, or of none. */
  readonly isNewer: boolean;
}

/** The commands are those of the first job; the check `readers` has the positions to fork from. */
function unreadableJobs(jobs: readonly Unreadable[]): Finding {
  const named = jobs.map(({ jobId, reason }) => `${jobId} (${reason})`);
  const first = jobs.find(({ isNewer }) => !isNewer);
  const ways =
    first === undefined
      ? 'run a release that knows their events; if there never was one, an event was written by hand: phaseline audit verify, and ' +
        `phaseline fork ${jobs[0]!.jobId} --at POSITION continues from before it`
      : `phaseline cancel ${first.jobId} ends it, phaseline fork ${first.jobId} --at POSITION continues from before the event ` +
        `(phaseline events ${first.jobId} marks it); or run a release that knows their events`;
  return fail(`${counted(jobs.length, 'job')} cannot be read: ${some(named)}`, ways);
}

interface ModelOutage {
  readonly jobs: number;
  readonly message: string;
  /** When the last of the jobs began to wait. */
  readonly since: string;
}

/** Model servers that jobs wait for, by the name of the model. */
function outages(waiting: readonly Waiting[]): ReadonlyMap<string, ModelOutage> {
  const found = new Map<string, ModelOutage>();
  for (const { waiter } of waiting) {
    if (waiter.kind !== 'lease' || !waiter.outage) continue;
    const { model, message, since } = waiter.outage;
    const known = found.get(model);
    const isLater = !known || since > known.since;
    found.set(model, {
      jobs: (known?.jobs ?? 0) + 1,
      message: isLater ? message : known.message,
      since: isLater ? since : known.since,
    });
  }
  return found;
}

/** Jobs whose next phase waits for a free place. */
async function heldBack(patient: Patient): Promise<ReadonlySet<string>> {
  if (!(await hasTable(patient, 'slots'))) return new Set();
  const { rows } = await patient.pool.query<{ job_id: string }>(
    'SELECT job_id FROM phaseline.slots WHERE granted_at IS NULL',
  );
  return new Set(rows.map((row) => row.job_id));
}

async function openJobs(patient: Patient): Promise<{ waiting: Waiting[]; unreadable: Unreadable[] }> {
  const { store, histories } = patient;
  const now = await databaseTime(patient);
  const held = await heldBack(patient);
  const waiting: Waiting[] = [];
  const unreadable: Unreadable[] = [];
  for (const { streamId, updatedAt } of await store.openStreams({ prefix: 'job-', idleForMs: 0, limit: MOST })) {
    const name = parseStreamName(streamId);
    if (name?.kind !== 'job') continue;
    const { jobId } = name;
    try {
      const job = await histories.job(jobId);
      const phase = job?.active && (await histories.phase(jobId, job.active.phase));
      const waiter = job && waiterOf(job, phase, { heldBack: held.has(jobId) });
      const head = job?.active && (await store.head(`phase-${jobId}-${job.active.phase}`));
      const movedAt = Math.max(Date.parse(updatedAt), head ? Date.parse(head.updatedAt) : 0);
      if (waiter) waiting.push({ jobId, waiter, idleMs: now - movedAt });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      unreadable.push({ jobId, reason, isNewer: isFromNewerRelease(error) });
    }
  }
  return { waiting, unreadable };
}

/** What the reconciler would have mended by now. Missing messages have a check of their own. */
async function problemOf(patient: Patient, { jobId, waiter, idleMs }: Waiting): Promise<Finding | undefined> {
  const { limits, processes } = patient;
  if (idleMs < limits.mendedMs) return undefined;
  const now = await databaseTime(patient);
  const text = `job ${jobId} waits for ${describeWaiter(waiter)}`;
  const mend = 'start an orchestrator (phaseline up), or see why the one that runs is not ready';
  switch (waiter.kind) {
    case 'decision':
      return fail(`${text}, and nobody does`, mend);
    case 'lease':
      if (await processes.isHeld(waiter.holder, waiter.holding)) return undefined;
      return fail(`${text}; that process has died or let go of it, and nobody takes over`, mend);
    case 'timer':
      return overdue(waiter.dueAt, now, limits.mendedMs) ? fail(`${text}, which has passed`, mend) : undefined;
    case 'approval':
      return waiter.expiresAt !== undefined && overdue(waiter.expiresAt, now, limits.mendedMs)
        ? fail(`${text}, which has passed`, mend)
        : undefined;
    default:
      return undefined;
  }
}

/** Streams and timers have their times from it; the clock of this machine may be another. */
async function databaseTime({ pool }: Patient): Promise<number> {
  const { rows } = await pool.query<{ ms: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
  return Number(rows[0]!.ms);
}

function overdue(at: string, now: number, patienceMs: number): boolean {
  return now - Date.parse(at) > patienceMs;
}
