import type { JobId } from '@phaseline/contracts';
import { describeWaiter, isFromNewerRelease, parseStreamName, findWaiter, type Waiter } from '@phaseline/domain';
import { pluralise } from '../../output/quantities.js';
import { fail, ok, formatList, warn, type Check, type Finding } from '../check.js';
import type { DoctorTarget } from '../doctor-target.js';
import { hasTable } from './anchors.js';

/** Number of open jobs to check; there may be more. */
const MAX_JOBS_CHECKED = 2_000;

interface WaitingJob {
  readonly jobId: JobId;
  readonly waiter: Waiter;
  readonly idleMs: number;
}

/** Determines what each open job waits for, and reports which of them cannot continue without a person. */
export const openJobs: Check = {
  name: 'jobs',
  needs: ['schema'],
  run: async function* (target) {
    const { waiting, unreadable } = await readOpenJobs(target);
    if (unreadable.length > 0) yield reportUnreadable(unreadable);
    for (const [model, { jobs, message, since }] of findOutages(waiting))
      yield warn(
        `${pluralise(jobs, 'job')} waiting for the server of the model ${model}, since ${since} or earlier: ${message}`,
        'start the server, or correct the setting named above; the jobs then continue by themselves, or immediately after phaseline resume JOB',
      );
    for (const job of waiting) {
      const problem = await findProblem(target, job);
      if (problem) yield problem;
    }
    const kinds = Map.groupBy(waiting, ({ waiter }) => waiter.kind);
    const counts = [...kinds].map(([kind, jobs]) => `${jobs.length} ${kind}`).join(', ');
    return ok(
      waiting.length === 0 ? 'none is open' : `${pluralise(waiting.length, 'open job')}, waiting for: ${counts}`,
    );
  },
};

interface Unreadable {
  readonly jobId: JobId;
  readonly reason: string;
  /** The event is of a newer release, or was never written by any. */
  readonly isNewer: boolean;
}

/** Reports unreadable jobs with commands for the first one. The check `readers` reports the positions to fork from. */
function reportUnreadable(jobs: readonly Unreadable[]): Finding {
  const described = jobs.map(({ jobId, reason }) => `${jobId} (${reason})`);
  const first = jobs.find(({ isNewer }) => !isNewer);
  const advice =
    first === undefined
      ? 'run a release that knows these events; if there never was one, an event was written by hand: phaseline audit verify, and ' +
        `phaseline fork ${jobs[0]!.jobId} --at POSITION continues from before it`
      : `phaseline cancel ${first.jobId} ends it, phaseline fork ${first.jobId} --at POSITION continues from before the event ` +
        `(phaseline events ${first.jobId} shows which one); or run a release that can read it`;
  return fail(`${pluralise(jobs.length, 'job')} cannot be read: ${formatList(described)}`, advice);
}

interface ModelOutage {
  readonly jobs: number;
  readonly message: string;
  /** When the most recent of the jobs began to wait. */
  readonly since: string;
}

/** Finds model servers that jobs wait for, by model name. */
function findOutages(waiting: readonly WaitingJob[]): ReadonlyMap<string, ModelOutage> {
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

/** Returns jobs whose next phase waits for a slot. */
async function readJobsWithoutSlot(target: DoctorTarget): Promise<ReadonlySet<JobId>> {
  if (!(await hasTable(target, 'slots'))) return new Set();
  const { rows } = await target.pool.query<{ job_id: JobId }>(
    'SELECT job_id FROM phaseline.slots WHERE granted_at IS NULL',
  );
  return new Set(rows.map((row) => row.job_id));
}

async function readOpenJobs(target: DoctorTarget): Promise<{ waiting: WaitingJob[]; unreadable: Unreadable[] }> {
  const { store, repository } = target;
  const now = await readDatabaseTime(target);
  const withoutSlot = await readJobsWithoutSlot(target);
  const waiting: WaitingJob[] = [];
  const unreadable: Unreadable[] = [];
  for (const { streamId, updatedAt } of await store.openStreams({
    prefix: 'job-',
    idleForMs: 0,
    limit: MAX_JOBS_CHECKED,
  })) {
    const name = parseStreamName(streamId);
    if (name?.kind !== 'job') continue;
    const { jobId } = name;
    try {
      const job = await repository.loadJob(jobId);
      const phase = job?.active && (await repository.loadPhase(jobId, job.active.phase));
      const waiter = job && findWaiter(job, phase, { isTenantAtLimit: withoutSlot.has(jobId) });
      const head = job?.active && (await store.head(`phase-${jobId}-${job.active.phase}`));
      const updatedAtMs = Math.max(Date.parse(updatedAt), head ? Date.parse(head.updatedAt) : 0);
      if (waiter) waiting.push({ jobId, waiter, idleMs: now - updatedAtMs });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      unreadable.push({ jobId, reason, isNewer: isFromNewerRelease(error) });
    }
  }
  return { waiting, unreadable };
}

/** Finds a problem that the reconciler should have resolved by now. A separate check reports missing messages. */
async function findProblem(target: DoctorTarget, { jobId, waiter, idleMs }: WaitingJob): Promise<Finding | undefined> {
  const { limits, processes } = target;
  if (idleMs < limits.reconcilerGraceMs) return undefined;
  const now = await readDatabaseTime(target);
  const text = `job ${jobId} waits for ${describeWaiter(waiter)}`;
  const advice = 'start an orchestrator (phaseline up), or find out why the running one is not ready';
  switch (waiter.kind) {
    case 'decision':
      return fail(`${text}, but this does not happen`, advice);
    case 'lease':
      if (await processes.isLeaseHeld(waiter.leaseOwner, waiter.leaseName)) return undefined;
      return fail(`${text}; that process has died or released its lease, and no other takes over`, advice);
    case 'timer':
      return isOverdue(waiter.dueAt, now, limits.reconcilerGraceMs)
        ? fail(`${text}, which has passed`, advice)
        : undefined;
    case 'approval':
      return waiter.expiresAt !== undefined && isOverdue(waiter.expiresAt, now, limits.reconcilerGraceMs)
        ? fail(`${text}, which has passed`, advice)
        : undefined;
    default:
      return undefined;
  }
}

/** Reads the database clock, from which streams and timers take their times. The clock of this machine may differ. */
async function readDatabaseTime({ pool }: DoctorTarget): Promise<number> {
  const { rows } = await pool.query<{ ms: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
  return Number(rows[0]!.ms);
}

function isOverdue(at: string, now: number, graceMs: number): boolean {
  return now - Date.parse(at) > graceMs;
}
