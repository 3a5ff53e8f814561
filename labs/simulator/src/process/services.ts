import { DatabaseClock } from '@phaseline/cluster';
import { type RecordedEvent } from '@phaseline/event-store';
import { messageSpecs, type PhaseMessage, type Sender, type ProcessId, type JobId } from '@phaseline/contracts';
import { isUnreachable } from '@phaseline/event-store';
import { ChildJobs, JobDriver, Reconciler, type AgentSource } from '@phaseline/orchestration';
import {
  decideRedelivery,
  parseHandedEnd,
  parseNewerEvents,
  PhaseRunner,
  ToolRunner,
  type Timers,
} from '@phaseline/execution';
import { CachedBlobs } from '@phaseline/workspace';
import {
  handleDelivery,
  type DeliveryHandler,
  type MemoryLog,
  type MemoryProcesses,
  type Delivery,
  type MemoryQueues,
  type Payload,
  type QueueWorker,
  type Chance,
} from '@phaseline/harness';
import type { MemoryTail } from './memory-tail.js';
import type { FaultPlan } from '../schedule/faults.js';
import type { Scheduler } from '../schedule/scheduler.js';
import type { Mutation } from '../mutation/mutations.js';
import { UnknownAgent } from '../workload/agents.js';
import { FREE_PROFILE, SimModel, SIM_PROFILE, type ModelServer } from '../workload/sim-model.js';
import { getOfferedTools, createRunnableTools, type Effect } from '../workload/sim-tools.js';
import type { EventIds } from './event-ids.js';
import type { Host } from './host.js';
import { openChildJobs, type ChildJobRows } from './memory-child-jobs.js';
import { ProcessLog } from './process-log.js';
import { WatchedRepository } from './watched-repository.js';

/** Servers and observers that the simulated processes share. */
export interface Site {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly faults: FaultPlan;
  readonly log: MemoryLog;
  readonly queues: MemoryQueues;
  readonly processes: MemoryProcesses;
  readonly tail: MemoryTail;
  readonly ids: EventIds;
  /** The table of child jobs; absent in a run in which no job delegates. */
  readonly childJobs?: ChildJobRows;
  readonly agents: AgentSource;
  readonly model: ModelServer;
  readonly mutation: Mutation;
  isCalm(): boolean;
  /** Whether the log or the queues are reachable now. */
  isReachable(what: 'log' | 'queues'): boolean;
  /** Called with committed events and the jobs whose listeners are to be woken. */
  onCommit(events: readonly RecordedEvent[], wakes: readonly string[]): void;
  onEffect(effect: Effect): void;
  /** Called when a process has learned whether another one still owns a lease. */
  onLease(asker: Host, processId: ProcessId, holding: string, held: boolean): void;
  /** Called when a handler or a periodic task throws. */
  onError(host: Host, where: string, error: unknown): void;
}

/** A running service. */
export interface Service {
  readonly host: Host;
  readonly repository: WatchedRepository;
  /** Leases held, and since when. */
  readonly leasesHeld: ReadonlyMap<string, number>;
  /** Notifies it of jobs with new control events; a notification may get lost. */
  notify(jobIds: readonly JobId[]): void;
}

export interface Orchestrator extends Service {
  readonly log: ProcessLog;
  readonly clock: { now(): Date };
  readonly driver: JobDriver;
}

const HEARTBEAT_MS = 2_000;
const RECONCILE_MS = 4_000;
const IDLE_MS = 2_000;
const TAIL_POLL_MS = 1_000;
/** Time within which a process answers to which a message is handed over; then its sender puts it into the queue. */
const ANSWER_WITHIN_MS = 1_000;
const PHASES_AT_ONCE = 3;
const CALLS_AT_ONCE = 4;

/** Parts of every service: its view of the log, of the queues and of the other processes. */
class Equipment {
  readonly log: ProcessLog;
  readonly repository: WatchedRepository;
  /** Leases held, and since when. */
  readonly held = new Map<string, number>();
  readonly heldLeases = {
    addLease: (lease: string): void => void this.held.set(lease, this.site.scheduler.now()),
    removeLease: (lease: string): void => void this.held.delete(lease),
  };
  /** The real DatabaseClock over a wall clock that may jump and an interval clock that does not; measured with each heartbeat. */
  private readonly databaseClock: DatabaseClock;
  readonly clock = {
    now: (): Date =>
      this.site.mutation.decisionTimes === 'process' ? new Date(this.host.wallClock()) : this.databaseClock.now(),
  };

  constructor(
    readonly site: Site,
    readonly host: Host,
  ) {
    this.log = new ProcessLog(
      site.log,
      host,
      site.ids,
      () => site.scheduler.now(),
      (events, wakes) => site.onCommit(events, wakes),
    );
    this.repository = new WatchedRepository(this.log, site.mutation);
    this.databaseClock = new DatabaseClock({ wall: () => host.wallClock(), steady: () => site.scheduler.now() });
    // A service accepts no work before its first heartbeat is written.
    this.databaseClock.observe(site.scheduler.now(), this.databaseClock.startObservation());
    const beat = (): void => {
      const askedAt = this.databaseClock.startObservation();
      let database: number | undefined;
      void host
        .call(
          'beat',
          'heartbeat',
          (fault) => {
            if (fault === 'lost') host.noteDisturbance();
            else {
              site.processes.recordHeartbeat(host.processId, this.held.keys());
              database = site.scheduler.now();
            }
          },
          { needs: 'log' },
        )
        .then(() => {
          if (database !== undefined) this.databaseClock.observe(database, askedAt);
        })
        .catch(() => {
          // An outage silences all processes and must not cause takeovers, so it does not count as a disturbance.
          if (site.isReachable('log')) host.noteDisturbance();
        });
      host.runLater(HEARTBEAT_MS, beat);
    };
    beat();
    host.onExit(() => {
      if (host.shutdown.aborted) site.processes.remove(host.processId);
    });
  }

  readonly leases = {
    isLeaseHeld: (processId: ProcessId, leaseName: string): Promise<boolean> => {
      const { leases } = this.site.mutation;
      const truth = (): boolean => this.site.processes.isLeaseHeld(this.host.processId, processId, leaseName);
      const answer = (): boolean => {
        const held = leases === 'as they are' ? truth() : leases === 'always held';
        this.site.onLease(this.host, processId, leaseName, held);
        return held;
      };
      return this.host.call('read', `lease of ${leaseName}`, answer, { needs: 'log' });
    },
    isCallHeld: (leaseName: string): Promise<boolean> => {
      const { leases } = this.site.mutation;
      const truth = (): boolean => this.site.processes.isCallHeld(this.host.processId, leaseName);
      const answer = (): boolean => (leases === 'as they are' ? truth() : leases === 'always held');
      return this.host.call('read', `holder of ${leaseName}`, answer, { needs: 'log' });
    },
  };

  readonly sender: Sender = {
    send: (queue, payload, options) => {
      const id = messageSpecs[queue].id(payload)!;
      return this.host.call(
        'send',
        `send ${queue} ${id}`,
        (fault) => {
          const { queues } = this.site;
          const sent = { ...options, id, clockAheadMs: this.host.clockAheadMs };
          if (options?.handOver && fault !== 'late') {
            if (fault === 'lost') this.host.runLater(ANSWER_WITHIN_MS, () => queues.send(queue, payload, sent));
            else if (!queues.handOver(queue, payload, sent, options.handOver)) queues.send(queue, payload, sent);
          } else if (fault === 'lost') return;
          else if (fault === 'late') queues.send(queue, payload, { id: `${id} late`, delayMs: 15_000 });
          else queues.send(queue, payload, sent);
          if (fault === 'doubled') queues.send(queue, payload, { ...options, id: `${id} again` });
        },
        { needs: 'queues' },
      );
    },
    handOver: async (queue, payload, { otherwise, ...options }) => {
      const id = messageSpecs[queue].id(payload)!;
      const giveUp = (): void => {
        this.host.runLater(ANSWER_WITHIN_MS, () => {
          otherwise().catch((error: unknown) => this.site.onError(this.host, `giving up ${queue} ${id}`, error));
        });
      };
      await this.host
        .call(
          'send',
          `hand over ${queue} ${id}`,
          (fault) => {
            const sent = { id, clockAheadMs: this.host.clockAheadMs };
            const isTaken = fault !== 'lost' && this.site.queues.handOver(queue, payload, sent, options);
            // A process that took the message but whose answer is late is given up, too.
            if (!isTaken || fault === 'late') giveUp();
            if (fault === 'doubled') this.site.queues.handOver(queue, payload, sent, options);
          },
          { needs: 'queues' },
        )
        .catch(giveUp);
      return true;
    },
  };

  /** Consumes a queue with `handler`, like a consumer of libs/queue. */
  consume(queue: string, concurrency: number, handler: DeliveryHandler): void {
    const { host, site } = this;
    const worker: QueueWorker = {
      processId: host.processId,
      concurrency,
      // A service accepts no messages while its clock is far from the database's. That safeguard is off together with queueTimes.
      acceptsMessages: () => host.acceptsWork() && (site.mutation.queueTimes === 'caller' || this.isClockRight()),
      clockAheadMs: () => host.clockAheadMs,
      silentSince: () => host.silentSince(),
      deliver: (delivery) => this.receive(delivery, handler),
    };
    site.queues.addWorker(queue, worker);
    host.onExit(() => site.queues.removeWorker(queue, worker));
  }

  private isClockRight(): boolean {
    return this.databaseClock.describeProblem() === undefined;
  }

  private receive(delivery: Delivery, handler: DeliveryHandler): void {
    const { host, site } = this;
    const at = `deliver ${delivery.queue} ${delivery.id} ${delivery.attempt}.${delivery.vanished} to ${host.processId}`;
    const fault = site.isCalm() ? undefined : site.faults.draw('deliver', at);
    if (fault === 'doubled') site.queues.send(delivery.queue, delivery.payload, { id: `${delivery.id} doubled` });
    const wait = site.chance.rollFor(at).between(1, 30) + (fault === 'late' ? 4_000 : 0);
    host.runLater(wait, () => void this.handle(delivery, handler));
  }

  private async handle(delivery: Delivery, handler: DeliveryHandler): Promise<void> {
    const { host, site } = this;
    const lost = new AbortController();
    delivery.onLost = () => host.runLater(1_000, () => lost.abort(new Error('the lock of the message was lost')));
    const signal = AbortSignal.any([host.shutdown, lost.signal]);
    const { deliveryOutcome, error } = await handleDelivery(delivery, handler, signal, () => host.shutdown.aborted);
    if (error !== undefined && !lost.signal.aborted)
      site.onError(host, `handling ${delivery.queue} ${delivery.id}`, error);
    await host
      .call('settle', `settle ${delivery.queue} ${delivery.id}`, () => delivery.reportOutcome(deliveryOutcome), {
        needs: 'queues',
      })
      .catch(() => delivery.abandon());
  }

  /** Runs a task periodically while the process is alive. Errors are reported and do not end it. */
  repeat(everyMs: number, what: string, run: () => Promise<void>): void {
    const turn = async (): Promise<void> => {
      if (this.host.shutdown.aborted) return;
      await run().catch((error: unknown) => this.site.onError(this.host, what, error));
      this.host.runLater(everyMs, () => void turn());
    };
    this.host.runLater(
      this.site.chance.rollFor(`${this.host.processId} ${what}`).between(1, everyMs),
      () => void turn(),
    );
  }
}

export function startWorker(site: Site, host: Host, kind: 'strategic' | 'tactical'): Service {
  const own = new Equipment(site, host);
  const model = new SimModel(host, site.model, site.mutation.hasChargeReports);
  const profile = site.mutation.hasPrices ? SIM_PROFILE : FREE_PROFILE;
  const runner = new PhaseRunner({
    processId: host.processId,
    repository: own.repository,
    blobs: new CachedBlobs(own.log.blobs),
    models: { find: (name) => (name === 'default' ? { profile, model, contextTokens: 100_000 } : undefined) },
    tools: getOfferedTools(site.mutation.hasHonestEffects),
    sender: own.sender,
    leases: own.leases,
    heldLeases: own.heldLeases,
    clock: own.clock,
    sleep: (delayMs, signal) => Promise.race([host.sleep(delayMs), waitForAbort(signal)]),
  });
  // The simulated queues carry any message; those of a queue have the type of its messages.
  own.consume(kind, PHASES_AT_ONCE, async (payload, { signal, enclosed }) => {
    const work = payload as unknown as PhaseMessage;
    const outcome = await runner.run({ ...work, end: parseHandedEnd(work, enclosed) }, signal);
    return decideRedelivery(outcome, site.scheduler.now());
  });
  return createService(own, runner);
}

export function startToolRunner(site: Site, host: Host): Service {
  const own = new Equipment(site, host);
  const timers: Timers = { now: () => site.scheduler.now(), schedule: (ms, then) => host.runLater(ms, then) };
  const runner = new ToolRunner({
    processId: host.processId,
    repository: own.repository,
    blobs: new CachedBlobs(own.log.blobs),
    tools: createRunnableTools(host, site.onEffect, site.mutation.hasHonestEffects),
    sender: own.sender,
    leases: own.leases,
    heldLeases: own.heldLeases,
    limits: { attempts: 3, backoffMs: 500 },
    clock: own.clock,
    timers,
  });
  own.consume('tools', CALLS_AT_ONCE, async (payload, { signal, vanished, enclosed }) => {
    const work = site.mutation.epochs ? payload : { ...payload, epoch: Number.MAX_SAFE_INTEGER };
    // The simulated queues carry any message; those of a queue have the type of its messages.
    const outcome = await runner.run({ ...work, newer: parseNewerEvents(enclosed) } as never, signal, vanished);
    return decideRedelivery(outcome, site.scheduler.now());
  });
  return createService(own, runner);
}

export function startOrchestrator(site: Site, host: Host): Orchestrator {
  const own = new Equipment(site, host);
  const { log, repository, sender, leases, clock } = own;
  const driver = new JobDriver({ processId: host.processId, store: log, repository, sender, leases, clock });
  const children = site.childJobs && createChildJobs(own, driver, site.childJobs);
  const reconciler = new Reconciler(
    { store: log, repository, driver, sender, leases, ...(children ? { children } : {}) },
    { idleForMs: IDLE_MS, steadyNow: () => site.scheduler.now() },
  );
  own.repeat(RECONCILE_MS, 'reconciler', async () => {
    if (!site.mutation.reconciler || reconciler.canRest(site.log.changedAt)) return;
    await reconciler.runPass((streamId, error) => site.onError(host, `reconciling ${streamId}`, error));
  });
  const follow = (): Promise<void> =>
    site.tail.follow(host, async (jobIds) => {
      await Promise.all(jobIds.map((jobId) => driver.advance(jobId)));
      if (children) await followChildJobs(own, children, jobIds);
    });
  own.repeat(TAIL_POLL_MS, 'tail', follow);
  own.consume('timers', CALLS_AT_ONCE, async (payload: Payload) => {
    await driver.advance(String(payload['jobId']));
  });
  return {
    host,
    repository,
    leasesHeld: own.held,
    log,
    clock,
    driver,
    notify: () => void follow().catch((error: unknown) => site.onError(host, 'tail', error)),
  };
}

function createChildJobs(own: Equipment, driver: JobDriver, rows: ChildJobRows): ChildJobs {
  const { log: store, repository, sender, leases, clock, site, host } = own;
  return new ChildJobs({
    ...{ store, repository, sender, leases, clock, driver, agents: site.agents },
    table: openChildJobs(host, rows),
    isRefusal: (error): error is Error => error instanceof UnknownAgent,
  });
}

/** Submits, ends and cancels child jobs after events of these jobs, as the orchestrator does. */
async function followChildJobs(
  { site, host }: Equipment,
  children: ChildJobs,
  jobIds: readonly JobId[],
): Promise<void> {
  const attempt = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (isUnreachable(error)) throw error;
      site.onError(host, 'following child jobs', error);
    }
  };
  for (const jobId of jobIds) await attempt(children.submitRequested(jobId));
  for (const child of await children.listAmong(jobIds)) await attempt(children.reportEnd(child));
  for (const child of await children.listChildrenOf(jobIds)) await attempt(children.cancelOrphan(child));
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function createService(own: Equipment, runner: PhaseRunner | ToolRunner): Service {
  const { host, repository, site } = own;
  const recheck = (jobId: JobId): Promise<void> =>
    runner.recheck(jobId).catch((error: unknown) => site.onError(host, `looking at ${jobId} again`, error));
  return { host, repository, leasesHeld: own.held, notify: (jobIds) => jobIds.forEach((jobId) => void recheck(jobId)) };
}
