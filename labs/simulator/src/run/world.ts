import { createHash } from 'node:crypto';
import type { JobId, ProcessId } from '@phaseline/contracts';
import { assertReadable, jobEndTypes, jobStream, type JobState, type PhaseState } from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import { MemoryLog, MemoryProcesses, MemoryQueues, Chance } from '@phaseline/harness';
import { readActorId } from '../check/read-actor-id.js';
import { MemoryTail } from '../process/memory-tail.js';
import { NO_MUTATION, type Mutation } from '../mutation/mutations.js';
import { EventIds } from '../process/event-ids.js';
import { Host, type HostEnvironment } from '../process/host.js';
import {
  startOrchestrator,
  startToolRunner,
  startWorker,
  type Orchestrator,
  type Service,
  type Site,
} from '../process/services.js';
import { FaultPlan, type Fault } from '../schedule/faults.js';
import { Scheduler } from '../schedule/scheduler.js';
import { createAgentSource } from '../workload/agents.js';
import { drawJobs, type Size } from '../workload/jobs.js';
import type { SentEdit } from '../workload/sent-edit.js';
import { actForJob, type TrackedJob } from '../workload/people.js';
import type { Charge } from '../workload/sim-model.js';
import type { Effect } from '../workload/sim-tools.js';
import { isExpectedError } from './expected-errors.js';
import { scheduleClockFaults, scheduleSiteFaults } from './schedule-faults.js';

export interface RunOptions {
  readonly seed: number;
  /** Injects exactly these faults instead of those that the seed draws. */
  readonly only?: readonly Fault[];
  readonly mutation?: Mutation;
  readonly workload?: Size;
}

/** Result of a run, which the invariants check. */
export interface RunResult {
  readonly log: MemoryLog;
  readonly jobs: readonly TrackedJob[];
  readonly effects: readonly Effect[];
  readonly charges: readonly Charge[];
  /** Last state of each stream that each process served, to be compared with a fold from the beginning. */
  readonly served: readonly {
    readonly processId: ProcessId;
    readonly served: ReadonlyMap<string, JobState | PhaseState>;
  }[];
  /** Violations found during the run: invalid model requests, unexpected errors, takeovers from live processes. */
  readonly reported: readonly { readonly invariant: string; readonly detail: string }[];
  readonly faults: readonly Fault[];
  readonly end: 'done' | 'idle' | 'limit';
  readonly steps: number;
  readonly virtualMs: number;
  /** Edits of files that people sent, in order. */
  readonly edits: readonly SentEdit[];
  readonly requestCounts: Readonly<Record<string, number>>;
  /** Hash over all events in commit order; equal for equal seeds. */
  readonly logHash: string;
}

/** Duration of the part of a run in which faults occur. After it every job must end. */
const FAULTS_UNTIL_MS = 70_000;
const LIMIT_MS = 12 * 60_000;
/** Twenty times the steps of a normal run; more means an endless loop. */
const LIMIT_STEPS = 100_000;
/** Time after the last job has ended, for late messages and processes that wake up. */
const AFTERMATH_MS = 30_000;
/** After being healthy and holding a lease for this long, a process must be known to all others as its owner. */
const OWNERSHIP_KNOWN_MS = 10_000;

const ENDS: ReadonlySet<string> = new Set(jobEndTypes);

const ROLES = [
  ['orchestrator-a', 'orchestrator'],
  ['orchestrator-b', 'orchestrator'],
  ['strategic-a', 'strategic'],
  ['strategic-b', 'strategic'],
  ['tactical-a', 'tactical'],
  ['tactical-b', 'tactical'],
  ['tools-a', 'tools'],
  ['tools-b', 'tools'],
] as const;

/** One simulated site, from its start to the end of all jobs. */
export class World implements HostEnvironment {
  readonly scheduler = new Scheduler();
  readonly chance: Chance;
  readonly faults: FaultPlan;
  private readonly log: MemoryLog;
  private readonly queues: MemoryQueues;
  private readonly site: Site;
  private readonly services = new Map<string, Service>();
  private readonly everyService: Service[] = [];
  private readonly asked: TrackedJob[];
  private readonly effects: Effect[] = [];
  private readonly charges: Charge[] = [];
  private readonly seen: { invariant: string; detail: string }[] = [];
  private readonly answers: Record<string, number> = {};
  private readonly awayUntil = { log: 0, queues: 0, models: 0, 'working models': 0 };
  /** When a process last learned that another one no longer owns a lease. */
  private readonly freeSince = new Map<string, number>();
  private readonly edits: SentEdit[] = [];
  private activePeople = 0;
  private settledCheck = { events: -1, settled: false };

  constructor(options: RunOptions) {
    const { seed, only, mutation = NO_MUTATION } = options;
    const { scheduler } = this;
    this.chance = new Chance(seed);
    this.faults = new FaultPlan(this.chance, only);
    const now = (): number => scheduler.now();
    this.log = new MemoryLog(now, mutation.log, assertReadable);
    const order = this.chance.rollFor('order of messages').pick(['first', 'any'] as const);
    let picks = 0;
    this.queues = new MemoryQueues(scheduler, {
      dedupe: mutation.dedupe,
      redelivery: mutation.redelivery,
      times: mutation.queueTimes,
      pick: (queue, ready) =>
        order === 'first' ? 0 : this.chance.rollFor(`pick ${queue} ${(picks += 1)}`).between(0, ready.length - 1),
    });
    const roll = this.chance.rollFor('jobs');
    const [extra, capping] = [this.chance.rollFor('kinds of jobs'), this.chance.rollFor('caps')];
    const jobs = drawJobs(roll, extra, capping, options.workload ?? 'mixed');
    this.asked = jobs.map((job) => ({ job, isResumedAfterPause: !roll.happens(0.1) }));
    this.site = {
      scheduler,
      chance: this.chance,
      faults: this.faults,
      log: this.log,
      queues: this.queues,
      processes: new MemoryProcesses(now, (streamId) => this.log.updatedAt(streamId), mutation.hasOutageGrace),
      tail: new MemoryTail(this.log, now, 2),
      ids: new EventIds(),
      ...(jobs.some(({ kind }) => kind === 'delegating') ? { childJobs: new Map() } : {}),
      agents: createAgentSource(jobs),
      model: {
        chance: this.chance,
        state: () => this.modelState(),
        charge: (charge) => void this.charges.push(charge),
        onBadRequest: (job, problem) => this.seen.push({ invariant: 'valid chat', detail: `${job}: ${problem}` }),
      },
      mutation,
      isCalm: () => this.isCalm(),
      isReachable: (what) => this.isReachable(what),
      onCommit: (events, wakes) => {
        for (const event of events) this.checkTakeover(event);
        if (wakes.length > 0 && mutation.notifications) this.notify(wakes);
      },
      onEffect: (effect) => void this.effects.push(effect),
      onLease: (asker, processId, holding, held) => {
        if (!held) this.freeSince.set(`${asker.processId} ${processId} ${holding}`, now());
      },
      onError: (host, where, error) => {
        if (!isExpectedError(error))
          this.seen.push({ invariant: 'no unexpected error', detail: describe(host, where, error) });
      },
    };
  }

  isCalm(): boolean {
    return this.scheduler.elapsed() > FAULTS_UNTIL_MS;
  }

  isReachable(what: 'log' | 'queues'): boolean {
    return this.scheduler.now() >= this.awayUntil[what];
  }

  private modelState(): 'away' | 'failing' | 'working' {
    const now = this.scheduler.now();
    if (now < this.awayUntil.models) return 'away';
    return now < this.awayUntil['working models'] ? 'failing' : 'working';
  }

  onExit(host: Host): void {
    const delay = this.chance.rollFor(`restart ${host.processId}`).between(200, 6_000);
    this.scheduler.after(delay, () => this.start(host.role, host.incarnation + 1));
  }

  async run(): Promise<RunResult> {
    for (const [role] of ROLES) this.start(role, 1);
    scheduleSiteFaults(this.chance, this.faults, FAULTS_UNTIL_MS, (ms, trouble) => this.scheduler.after(ms, trouble), {
      flush: () => this.queues.flush(),
      makeUnreachable: (what, ms) => {
        this.awayUntil[what] = Math.max(this.awayUntil[what], this.scheduler.now() + ms);
      },
      hosts: () => [...this.services.values()].map(({ host }) => host),
    });
    scheduleClockFaults(
      this.chance,
      this.faults,
      FAULTS_UNTIL_MS,
      (ms, trouble) => this.scheduler.after(ms, trouble),
      () => [...this.services.values()].map(({ host }) => host),
    );
    const people = {
      site: this.site,
      orchestrators: () => this.orchestrators(),
      onAnswer: (action: string, kind: string) => {
        const name = `${action} ${kind}`;
        this.answers[name] = (this.answers[name] ?? 0) + 1;
      },
      onEdit: (edit: SentEdit) => void this.edits.push(edit),
    };
    this.asked.forEach((asked, index) => {
      this.activePeople += 1;
      void actForJob(people, asked, this.chance.rollFor(`person ${index}`))
        .catch((error: unknown) => this.seen.push({ invariant: 'no unexpected error', detail: String(error) }))
        .finally(() => (this.activePeople -= 1));
    });
    let end = await this.scheduler.run(() => this.activePeople === 0 && this.isSettled(), LIMIT_MS, LIMIT_STEPS);
    if (end === 'done') {
      await this.scheduler.run(() => false, this.scheduler.elapsed() + AFTERMATH_MS, LIMIT_STEPS);
      if (!this.isSettled()) end = 'limit';
    }
    const remains = this.collectRemains(end);
    for (const { host } of this.everyService) host.release();
    return remains;
  }

  private start(role: string, incarnation: number): void {
    const host = new Host(role, incarnation, this);
    const kind = ROLES.find(([name]) => name === role)![1];
    const service =
      kind === 'orchestrator'
        ? startOrchestrator(this.site, host)
        : kind === 'tools'
          ? startToolRunner(this.site, host)
          : startWorker(this.site, host, kind);
    this.services.set(role, service);
    this.everyService.push(service);
  }

  /**
   * Reports a takeover from a process that is alive and shows it, which leases must prevent. The time of the lease query counts: the
   * append may arrive much later, and fencing covers what changes in between.
   */
  private checkTakeover(event: RecordedEvent): void {
    const taken = this.findTakeover(event);
    if (!taken) return;
    const actor = readActorId(event);
    const askedAt = this.freeSince.get(`${actor} ${String(taken.from)} ${taken.what}`) ?? this.scheduler.now();
    const since = askedAt - OWNERSHIP_KNOWN_MS;
    const living = this.everyService.find(
      ({ host, leasesHeld }) =>
        host.processId === taken.from &&
        host.processId !== actor &&
        host.healthySince() < since &&
        (leasesHeld.get(taken.what) ?? Infinity) < since,
    );
    if (living)
      this.seen.push({
        invariant: 'a live lease owner keeps its work',
        detail: `${taken.what} was taken over from ${living.host.processId}, which is alive and owns it`,
      });
  }

  /** Returns which lease an event takes over from which process, if it does. */
  private findTakeover({ streamId, type, data }: RecordedEvent): { what: string; from: unknown } | undefined {
    if (type === 'PhaseTakenOver') return { what: streamId, from: data['previousLeaseOwner'] };
    if (type !== 'ToolCallFailed' || data['code'] !== 'outcome_unknown') return undefined;
    const { callId } = data;
    const started = this.log
      .storedEvents(streamId)
      .find(({ recorded }) => recorded.type === 'ToolCallStarted' && recorded.data['callId'] === callId);
    return { what: `${streamId}/${String(callId)}`, from: started?.recorded.data['leaseOwner'] };
  }

  private notify(jobIds: readonly JobId[]): void {
    const place = `notify ${this.log.events.length}`;
    for (const service of this.services.values()) {
      const at = `${place} ${service.host.processId}`;
      if (!this.isCalm() && this.faults.draw('notify', at) === 'lost') continue;
      service.host.runLater(this.chance.rollFor(at).between(1, 40), () => service.notify(jobIds));
    }
  }

  private orchestrators(): Orchestrator[] {
    return [...this.services.values()].filter((service): service is Orchestrator => 'driver' in service);
  }

  /** Whether every job has ended or waits for a person who will not return. */
  private isSettled(): boolean {
    if (this.settledCheck.events !== this.log.events.length)
      this.settledCheck = { events: this.log.events.length, settled: this.areAllJobsSettled() };
    return this.settledCheck.settled;
  }

  private areAllJobsSettled(): boolean {
    return this.asked.every(({ jobId, isResumedAfterPause }) => {
      if (jobId === undefined) return true;
      const types = this.readTypes(jobId);
      return (
        (ENDS.has(types.at(-1) ?? '') && this.haveChildJobsEnded()) ||
        (!isResumedAfterPause && types.lastIndexOf('JobPaused') > types.lastIndexOf('JobResumed'))
      );
    });
  }

  private readTypes(jobId: JobId): readonly string[] {
    return this.log.storedEvents(jobStream(jobId)).map(({ recorded }) => recorded.type);
  }

  private haveChildJobsEnded(): boolean {
    const last = [...(this.site.childJobs?.keys() ?? [])].map((childId) => this.readTypes(childId).at(-1));
    return last.every((type) => type === undefined || ENDS.has(type));
  }

  private collectRemains(end: RunResult['end']): RunResult {
    const hash = createHash('sha256');
    for (const { recorded } of this.log.events) hash.update(recorded.hash);
    return {
      log: this.log,
      jobs: this.asked,
      effects: this.effects,
      charges: this.charges,
      served: this.everyService.map(({ host, repository }) => ({
        processId: host.processId,
        served: repository.served,
      })),
      // A copy, so that code released after the run cannot add to it.
      reported: [...this.seen],
      faults: this.faults.injected,
      end,
      steps: this.scheduler.steps,
      virtualMs: this.scheduler.elapsed(),
      edits: this.edits,
      requestCounts: this.answers,
      logHash: hash.digest('hex'),
    };
  }
}

function describe(host: Host, where: string, error: unknown): string {
  const text =
    error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 3).join(' | ') : String(error);
  return `${host.processId}, ${where}: ${text}`;
}
