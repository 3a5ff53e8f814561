import {
  listCalls,
  isAsking,
  isAwaitingApproval,
  controlJob,
  decideJob,
  findDecidingPhase,
  evolvePhase,
  foldJob,
  foldPhase,
  hasJobEnded,
  buildTimerMessage,
  listRepositoryMessages,
  type ControlChecks,
  type ControlDecision,
  type ControlRequest,
  type Guard,
  type JobDecision,
  type JobState,
  type PhaseState,
} from '@phaseline/domain';
import {
  DuplicateEventId,
  StreamClosed,
  WrongExpectedVersion,
  type BlobWrite,
  type EventLog,
  type StreamAppend,
} from '@phaseline/event-store';
import { createRequestActor, type Sender, type ProcessId, type JobId } from '@phaseline/contracts';
import { faultPoint } from '@phaseline/fault-points';
import {
  isUnreadableJob,
  buildJobAppend,
  buildPhaseAppend,
  type EventOrigin,
  type JobRepository,
} from '@phaseline/repository';
import type { Admission, SlotGrant } from './admission/admission.js';
import { JobSlots } from './admission/job-slots.js';
import { hashArguments } from './hash-arguments.js';
import { cancelUnreadable } from './cancel-unreadable.js';
import { completeDecision } from './complete-decision.js';
import { readDecisionFiles } from './decision-files.js';
import { findLaterRequest, toKeyedRequest, type ControlOptions, type KeyedRequest } from './control-options.js';
import { dispatchDue, sendPhase } from './dispatch-due.js';
import { findPrecedents, type SearchPrecedents } from './find-precedents.js';
import { explainRefusal } from './explain-refusal.js';
import type { Clock, Leases } from './ports.js';

export interface JobDriverParts {
  readonly processId: ProcessId;
  readonly store: EventLog;
  readonly repository: JobRepository;
  readonly sender: Sender;
  readonly leases: Leases;
  readonly clock: Clock;
  /** Decides which phases may run; when absent, all of them. */
  readonly admission?: Admission;
  /** Checks the arguments with which a person replaces those of a call. Absent where no tools are known. */
  readonly parseArguments?: ControlChecks['parseArguments'];
  /** Returns the guards of the installation and of a tenant, which guard the phases that start now. */
  readonly listSharedGuards?: (tenant: string) => Promise<readonly Guard[]>;
  /** Finds promoted learning traces that a job may read and that fit a task. Absent where there are none. */
  readonly searchPrecedents?: SearchPrecedents;
  /** Called with a job that was granted a slot but could not be taken further. The reconciler tries it again. */
  readonly onProblem?: (jobId: JobId, error: unknown) => void;
}

/**
 * Outcome of a control request: it was recorded (now or when it was first sent), had no effect, or was refused; or there
 * is no such job, its key was used for another request, the job was changed meanwhile, or the caller no longer waits.
 */
export type ControlOutcome =
  | { readonly kind: 'recorded' }
  | { readonly kind: 'no-such-job' | 'key-conflict' | 'too-late' }
  | Exclude<RequestDecision, { kind: 'record' }>;

type RequestDecision = ControlDecision | { readonly kind: 'changed-since'; readonly reason: string };

/** What a job waits for when there was nothing to decide. */
export interface JobWait {
  /** Milliseconds until the job's first timer is due; undefined when it has none. */
  readonly timerInMs: number | undefined;
  /** Whether the job's next phase waits for a slot. */
  readonly awaitsSlot: boolean;
  /** Whether a tool-runner has to import the repository of the job, or to make an output of it. Its message was sent. */
  readonly awaitsRepository?: boolean;
}

const NOTHING_TO_WAIT_FOR: JobWait = { timerInMs: undefined, awaitsSlot: false };

/** Maximum number of conflicting appends in a row; more than concurrent processes that each make progress can cause. */
const MAX_CONFLICTS = 20;

/**
 * Advances a job by one decision: folds it, runs the decider, appends and dispatches. Safe to call for any job at any time, from several replicas concurrently: when two make the same decision, one append succeeds and the other finds nothing to do.
 */
export class JobDriver {
  private readonly checks: ControlChecks;

  constructor(private readonly parts: JobDriverParts) {
    const { parseArguments = () => undefined } = parts;
    this.checks = { hashArguments, parseArguments };
  }

  /** Takes the job one decision further. Returns what the job waits for; undefined when it was taken further. */
  async advance(jobId: JobId): Promise<JobWait | undefined> {
    const slots = new JobSlots(this.parts.admission);
    const wait = await this.decide(jobId, slots);
    await this.advanceGranted(slots.grants);
    return wait;
  }

  /** Advances the jobs that were granted a slot, and then those that are granted one as a result. */
  async advanceGranted(given: readonly SlotGrant[]): Promise<void> {
    const waiting = [...given];
    for (let slot = waiting.shift(); slot; slot = waiting.shift()) {
      const slots = new JobSlots(this.parts.admission, slot.phase);
      // A job that cannot be decided must not block the others, nor the job that released the slot.
      await this.decide(slot.jobId, slots).catch((error: unknown) => this.parts.onProblem?.(slot.jobId, error));
      waiting.push(...slots.grants);
    }
  }

  private async decide(jobId: JobId, slots: JobSlots): Promise<JobWait | undefined> {
    const { repository, clock } = this.parts;
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const job = await repository.loadJob(jobId);
      const awaitsRepository = job !== undefined && (await this.sendRepositoryWork(job));
      if (!job || hasJobEnded(job)) {
        await slots.releaseIfUnused(jobId, job, undefined);
        return { ...NOTHING_TO_WAIT_FOR, awaitsRepository };
      }
      const deciding = findDecidingPhase(job);
      const phase = deciding === undefined ? undefined : await repository.loadPhase(jobId, deciding);
      const decision = decideJob(job, phase, clock.now(), await readDecisionFiles(job, phase, this.parts));
      if (decision.job.length === 0 && decision.activePhase.length === 0) {
        await slots.releaseIfUnused(jobId, job, phase);
        return { timerInMs: await this.sendTimers(job, phase), awaitsSlot: false, awaitsRepository };
      }
      if (!(await slots.admit(job, phase, decision)))
        return { timerInMs: await this.sendTimers(job, phase), awaitsSlot: true };
      faultPoint('orchestrator.decided', jobId);
      if (!(await this.executeDecision(job, phase, decision))) continue;
      await slots.releaseIfFreed(jobId, decision);
      return undefined;
    }
    throw new Error(
      `job ${jobId} changed ${MAX_CONFLICTS} times while it was being decided; it will be tried again later`,
    );
  }

  /**
   * Records a control request and applies it. A job that cannot be read can still be cancelled. See `ControlOptions`
   * for what a caller may add.
   */
  async control(jobId: JobId, request: ControlRequest, options: ControlOptions = {}): Promise<ControlOutcome> {
    try {
      return await this.controlRead(jobId, request, options);
    } catch (error) {
      if (!isUnreadableJob(error)) throw error;
      if (request.action === 'cancel') return this.cancelUnreadable(jobId, request, options);
      return {
        kind: 'refused',
        reason: `the job cannot be read, and can only be cancelled or forked: ${error.message}`,
      };
    }
  }

  private async cancelUnreadable(
    jobId: JobId,
    request: Extract<ControlRequest, { readonly action: 'cancel' | 'pause' | 'resume' }>,
    options: ControlOptions,
  ): Promise<ControlOutcome> {
    const keyed = toKeyedRequest(jobId, request, options);
    const sender = options.sender ?? createRequestActor(undefined, request.actor);
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const outcome = await cancelUnreadable(this.parts.store, jobId, request, sender, keyed);
      if (outcome === 'changed') continue;
      if (outcome === 'no-such-job') return { kind: 'no-such-job' };
      if (outcome === 'ended') return { kind: 'refused', reason: 'the job has ended, and cannot be read' };
      await this.releaseSlot(jobId);
      return { kind: 'recorded' };
    }
    throw new Error(`job ${jobId} changed ${MAX_CONFLICTS} times while it was being cancelled; try again`);
  }

  /** Releases the slot of a job that has ended, or that cannot be read and makes no progress. */
  async releaseSlot(jobId: JobId): Promise<void> {
    await this.advanceGranted((await this.parts.admission?.releaseSlot(jobId)) ?? []);
  }

  private async controlRead(jobId: JobId, request: ControlRequest, options: ControlOptions): Promise<ControlOutcome> {
    const { repository } = this.parts;
    const keyed = toKeyedRequest(jobId, request, options);
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const earlier = await this.findRecorded(keyed);
      if (earlier) return earlier;
      const job = await repository.loadJob(jobId);
      if (!job) return { kind: 'no-such-job' };
      const { phase, decision } = await this.decideRequest(job, request, options);
      // Another process may have recorded the same request after it was looked up, and what was loaded since then shows its effect.
      if (decision.kind !== 'record') return (await this.findRecorded(keyed)) ?? decision;
      if (options.isStillWanted?.() === false) return { kind: 'too-late' };
      const actor = options.sender ?? createRequestActor(undefined, request.actor);
      const origin = { actor, ...(keyed ? { request: keyed.hash } : {}) };
      if (await this.record(job, phase, decision, origin, {}, keyed)) {
        const slots = new JobSlots(this.parts.admission);
        await slots.releaseIfFreed(jobId, decision);
        await this.applyRequest(jobId, decision);
        await this.advanceGranted(slots.grants);
        return { kind: 'recorded' };
      }
    }
    throw new Error(`job ${jobId} changed ${MAX_CONFLICTS} times while the request was being recorded; try again`);
  }

  /** What became of a request with this key that is in the log; undefined if there is none. */
  private async findRecorded(keyed: KeyedRequest | undefined): Promise<ControlOutcome | undefined> {
    const first = keyed && (await this.parts.store.find(keyed.eventId(0)));
    return first && { kind: first.metadata['request'] === keyed.hash ? 'recorded' : 'key-conflict' };
  }

  /** Decides what a request changes, or why it changes nothing. */
  private async decideRequest(
    job: JobState,
    request: ControlRequest,
    options: ControlOptions,
  ): Promise<{ readonly phase?: PhaseState; readonly decision: RequestDecision }> {
    const { repository, clock, store } = this.parts;
    const { jobId } = job.submitted;
    const reason = await findLaterRequest(job, store, options);
    if (reason !== undefined) return { decision: { kind: 'changed-since', reason } };
    if (job.erased) return { decision: { kind: 'refused', reason: 'the content of the job was erased' } };
    if (job.filesRemoved && request.action === 'retry') {
      const refusal = `its files were removed by retention on ${job.filesRemoved.removedAt}`;
      return { decision: { kind: 'refused', reason: refusal } };
    }
    const active = job.active && (await repository.loadPhase(jobId, job.active.phase));
    const phase = active?.end ? undefined : active;
    const tree = request.action === 'edit-file' ? await this.loadTree(job, active) : undefined;
    const decision = controlJob(job, phase, request, clock.now(), this.checks, tree);
    if (decision.kind === 'refused') return { decision: await explainRefusal(store, jobId, request, decision) };
    return { ...(phase ? { phase } : {}), decision };
  }

  /** Loads the files of the last phase; before the first one, those of the submission. */
  private async loadTree(job: JobState, active: PhaseState | undefined): Promise<PhaseState['tree'] | undefined> {
    if (active) return active.tree;
    if (job.last) return (await this.parts.repository.loadPhase(job.submitted.jobId, job.last.phase))?.tree;
    return job.phases === 0 ? job.submitted.tree : undefined;
  }

  /** Applies a recorded request: decides what follows for the job, and dispatches a phase that may run again. */
  private async applyRequest(
    jobId: JobId,
    { activePhase }: { readonly activePhase: readonly unknown[] },
  ): Promise<void> {
    await this.advance(jobId);
    if (activePhase.length === 0) return;
    const job = await this.parts.repository.loadJob(jobId);
    const phase = job?.active && (await this.parts.repository.loadPhase(jobId, job.active.phase));
    if (phase) await dispatchDue(phase, this.parts);
  }

  /** Appends a decision in one commit and dispatches its phase. Returns false when another append was first. */
  private async executeDecision(job: JobState, phase: PhaseState | undefined, decided: JobDecision): Promise<boolean> {
    const { store, clock, repository, listSharedGuards, searchPrecedents } = this.parts;
    const { jobId, tenant } = job.submitted;
    const ownBlobs = store.blobs.forJob?.(jobId) ?? store.blobs;
    const { decision, blobs } = await completeDecision(job, phase, decided, {
      repository,
      blobs: ownBlobs,
      now: clock.now(),
      listSharedGuards: () => listSharedGuards?.(tenant) ?? [],
      findPrecedents: (next) => findPrecedents(next, { repository, blobs: ownBlobs, searchPrecedents }),
    });
    const origin: EventOrigin = { actor: { id: this.parts.processId, kind: 'process' } };
    const { next } = decision;
    const started = next ? [buildPhaseAppend(jobId, next.phase, 0, [next.started], { origin })] : [];
    if (!(await this.record(job, phase, decision, origin, { appends: started, blobs }))) return false;
    if (next) {
      faultPoint('orchestrator.before-dispatch', jobId);
      await sendPhase(evolvePhase(undefined, next.started), this.parts.sender);
    } else if (decision.activePhase.length > 0 && phase)
      await dispatchDue(foldPhase(decision.activePhase, phase)!, this.parts);
    await this.sendTimers(foldJob(decision.job, job)!, undefined);
    faultPoint('orchestrator.after-dispatch', jobId);
    return true;
  }

  private async record(
    job: JobState,
    phase: PhaseState | undefined,
    { job: jobEvents, activePhase }: Pick<JobDecision, 'job' | 'activePhase'>,
    origin: EventOrigin,
    extra: { readonly appends?: readonly StreamAppend[]; readonly blobs?: readonly BlobWrite[] },
    keyed?: KeyedRequest,
  ): Promise<boolean> {
    const { jobId } = job.submitted;
    const appends: StreamAppend[] = [];
    const jobIds = keyed ? { eventIds: jobEvents.map((_, index) => keyed.eventId(index)) } : {};
    const phaseIds = keyed ? { eventIds: activePhase.map((_, index) => keyed.eventId(jobEvents.length + index)) } : {};
    if (jobEvents.length > 0) appends.push(buildJobAppend(jobId, job.version, jobEvents, origin, jobIds.eventIds));
    if (phase && activePhase.length > 0) {
      // Messages and decisions of people may be appended after any event of a running phase. An event that closes calls
      // must follow all of them.
      const version = activePhase.every(({ type }) => APPENDABLE_AT_ANY_VERSION.has(type)) ? 'any' : phase.version;
      appends.push({
        ...buildPhaseAppend(jobId, phase.start.identity.phase, version, activePhase, { origin, ...phaseIds }),
        wake: true,
      });
    }
    // Only an append to the job would notice that it has changed since it was read, for example that it was paused before its phase was read.
    if (jobEvents.length === 0 && (await this.parts.repository.loadJob(jobId))?.version !== job.version) return false;
    try {
      const { blobs = [] } = extra;
      await this.parts.store.append([...appends, ...(extra.appends ?? [])], blobs.length > 0 ? { blobs } : {});
      await this.withdrawTimers(timersOf(job, phase), foldJob(jobEvents, job)!, phase && foldPhase(activePhase, phase));
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedVersion || error instanceof StreamClosed) return false;
      // Another process recorded the same request meanwhile, perhaps with a phase that this one has not seen.
      if (keyed && error instanceof DuplicateEventId) return false;
      throw error;
    }
  }

  /** Sends the due messages about the repository of a job; returns whether there are any. */
  private async sendRepositoryWork(job: JobState): Promise<boolean> {
    const messages = listRepositoryMessages(job);
    for (const { queue, payload } of messages) await this.parts.sender.send(queue, payload);
    return messages.length > 0;
  }

  /** Sends the delayed messages of the job's timers. Returns the milliseconds until the first one is due. */
  private async sendTimers(job: JobState, phase: PhaseState | undefined): Promise<number | undefined> {
    if (hasJobEnded(job)) return undefined;
    let firstInMs: number | undefined;
    for (const { timer, kind, dueAt } of timersOf(job, phase)) {
      // While a job is paused, only the timer that limits a person's time matters.
      if (job.paused && kind !== 'person') continue;
      const now = this.parts.clock.now();
      const { queue, payload, options } = buildTimerMessage(job.submitted.jobId, timer, dueAt, now);
      await this.parts.sender.send(queue, payload, options);
      firstInMs = Math.min(firstInMs ?? Infinity, Date.parse(dueAt) - now.getTime());
    }
    return firstInMs;
  }

  /**
   * Removes the delayed messages of timers that no longer exist, so that those of ended jobs do not stay in the queue
   * until they are due. A message that remains after a crash or an outage of the queues finds nothing to do.
   */
  private async withdrawTimers(
    before: readonly DueTimer[],
    job: JobState,
    phase: PhaseState | undefined,
  ): Promise<void> {
    const { sender, clock } = this.parts;
    const remaining = new Set(timersOf(job, phase).map(({ timer }) => timer));
    for (const { timer, dueAt } of before) {
      if (remaining.has(timer)) continue;
      const { queue, payload } = buildTimerMessage(job.submitted.jobId, timer, dueAt, clock.now());
      await sender.withdraw?.(queue, payload).catch(() => undefined);
    }
  }
}

interface DueTimer {
  readonly timer: string;
  readonly kind: string;
  /** ISO 8601. */
  readonly dueAt: string;
}

/** Returns the timers of the job and its phase, each of which has a delayed message. */
function timersOf(job: JobState, phase: PhaseState | undefined): DueTimer[] {
  if (hasJobEnded(job)) return [];
  const calls = phase && job.active ? listCalls(phase) : [];
  const questions = calls.filter(isAsking);
  // Waiting for an answer does not count as wall time.
  const timers: DueTimer[] = Object.entries(job.timers)
    .map(([timer, { kind, dueAt }]) => ({ timer, kind, dueAt }))
    .filter(({ kind }) => kind !== 'deadline' || questions.length === 0);
  for (const { callId, question } of questions)
    timers.push({ timer: `question-${callId}`, kind: 'question', dueAt: question.deadlineAt });
  for (const { callId, expiresAt } of calls.filter(isAwaitingApproval))
    if (expiresAt !== undefined) timers.push({ timer: `approval-${callId}`, kind: 'approval', dueAt: expiresAt });
  return timers;
}

const APPENDABLE_AT_ANY_VERSION: ReadonlySet<string> = new Set([
  'PhaseSteered',
  'PhasePaused',
  'GuardOverridden',
  'GuardOverrideRevoked',
]);
