import type { ProcessId } from '@phaseline/contracts';
import { DatabaseUnreachable } from '@phaseline/event-store';
import type { Cancel, Scheduler } from '../schedule/scheduler.js';
import type { Chance } from '@phaseline/harness';
import type { FaultKind, FaultPlan, Place } from '../schedule/faults.js';

/** Environment that a process shares with all others. */
export interface HostEnvironment {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly faults: FaultPlan;
  /** Whether the run is in its last part, in which no faults occur and every job must end. */
  isCalm(): boolean;
  /** Whether the log or the queues are reachable now. */
  isReachable(what: 'log' | 'queues'): boolean;
  /** Called when a process has died; starts the next one. */
  onExit(host: Host): void;
}

export interface Latency {
  readonly from: number;
  readonly to: number;
}

/** The queues are unreachable; whether a message was stored is unknown. */
class QueuesUnreachable extends Error {
  override readonly name = 'QueuesUnreachable';
  readonly code = 'queue_unavailable';
}

const QUICK: Latency = { from: 1, to: 12 };
/** Abort reason of handlers when a process shuts down gracefully. */
const SHUTTING_DOWN = new Error('the process is shutting down');
const STOP_GRACE_MS = 3_000;

/**
 * A simulated process. Everything that its code awaits goes through `call` and continues only while the process is alive and not
 * paused. A crashed process never continues; a paused one continues when it wakes up.
 */
export class Host {
  readonly processId: ProcessId;
  private readonly stopping = new AbortController();
  private readonly counters = new Map<string, number>();
  private readonly exits: (() => void)[] = [];
  private isDead = false;
  private pausedUntil = 0;
  private silentFrom: number | undefined;
  private disturbedAt = -Infinity;
  /** Offset of the wall clock of its machine from real time, in milliseconds; positive if ahead. */
  clockAheadMs = 0;

  constructor(
    readonly role: string,
    readonly incarnation: number,
    private readonly environment: HostEnvironment,
  ) {
    this.processId = `${role}~${incarnation}`;
  }

  get isAlive(): boolean {
    return !this.isDead;
  }

  /** Fires when the process is asked to stop. */
  get shutdown(): AbortSignal {
    return this.stopping.signal;
  }

  /** Whether it accepts new work: it is alive, not paused, and was not asked to stop. */
  acceptsWork(): boolean {
    return !this.isDead && !this.stopping.signal.aborted && !this.isPaused();
  }

  /** Time on the wall clock of its machine. Timers and intervals do not use it. */
  wallClock(): number {
    return this.environment.scheduler.now() + this.clockAheadMs;
  }

  isPaused(): boolean {
    return this.pausedUntil > this.environment.scheduler.now();
  }

  /** Since when it has given no sign of life; undefined while it does. */
  silentSince(): number | undefined {
    return this.isDead || this.isPaused() ? this.silentFrom : undefined;
  }

  /** Runs code of this process after a delay: not while it is paused, and never once it is dead. */
  runLater(ms: number, run: () => void): Cancel {
    let cancelled = false;
    const attempt = (): void => {
      if (this.isDead || cancelled) return;
      if (this.isPaused()) {
        this.environment.scheduler.after(this.pausedUntil - this.environment.scheduler.now() + 1, attempt);
        return;
      }
      run();
    };
    this.environment.scheduler.after(ms, attempt);
    return () => {
      cancelled = true;
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.runLater(ms, resolve));
  }

  /**
   * Sends a request to something outside the process. The effect happens when the request arrives, and the promise settles when the
   * response arrives. Faults may hit the process before and in between.
   */
  call<Result>(
    place: Place,
    what: string,
    effect: (fault: FaultKind | undefined) => Result | Promise<Result>,
    options: { readonly latency?: Latency; readonly needs?: 'log' | 'queues' } = {},
  ): Promise<Result> {
    const { latency = QUICK, needs } = options;
    const { scheduler, chance, faults } = this.environment;
    const at = this.nameOf(what);
    const roll = chance.rollFor(at);
    const fault = this.isDead || this.environment.isCalm() ? undefined : faults.draw(place, at);
    const slow = fault === 'slow' ? 5_000 : fault === 'very slow' ? 25_000 : 0;
    const there = roll.between(latency.from, latency.to) + Math.round(slow * roll.fraction() * 2);
    const back = roll.between(1, 6);
    return new Promise((resolve, reject) => {
      if (this.isDead) return;
      const answer = (settle: () => void): void => void this.runLater(back, settle);
      const away = (): boolean => needs !== undefined && !this.environment.isReachable(needs);
      const arrive = (): void => {
        if (away() || fault === 'unreachable before') {
          answer(() => reject(unreachable(needs)));
          return;
        }
        let result: Result | Promise<Result>;
        try {
          result = effect(fault);
        } catch (error) {
          answer(() => reject(error as Error));
          return;
        }
        if (fault === 'crash after') this.crash();
        else if (fault === 'pause after') this.pause(roll.between(500, 25_000));
        if (fault === 'unreachable after') answer(() => reject(unreachable(needs)));
        else answer(() => resolve(result));
      };
      if (fault === 'crash before') this.crash();
      else if (fault === 'stop') this.stop();
      if (fault === 'pause before') {
        this.pause(roll.between(500, 25_000));
        // The request is sent when the process wakes up.
        this.runLater(there, arrive);
      } else if (!this.isDead) scheduler.after(there, arrive);
    });
  }

  /** Kills the process immediately. */
  crash(): void {
    if (this.isDead) return;
    this.noteDisturbance();
    this.silentFrom ??= this.environment.scheduler.now();
    this.isDead = true;
    for (const exit of this.exits) exit();
    this.environment.onExit(this);
  }

  /**
   * Releases code that would wait forever, after the run: Node keeps a combined signal and all its listeners alive until it fires.
   */
  release(): void {
    this.isDead = true;
    this.stopping.abort(SHUTTING_DOWN);
  }

  /** Shuts down gracefully: signals the handlers, and kills the process after a grace period. */
  stop(): void {
    if (this.isDead || this.stopping.signal.aborted) return;
    this.stopping.abort(SHUTTING_DOWN);
    this.runLater(STOP_GRACE_MS, () => this.crash());
  }

  /** Pauses the process, as SIGSTOP or a long garbage collection would. */
  pause(ms: number): void {
    const now = this.environment.scheduler.now();
    if (!this.isPaused()) this.silentFrom = now;
    this.pausedUntil = Math.max(this.pausedUntil, now + ms);
    this.environment.scheduler.after(this.pausedUntil - now, () => {
      this.noteDisturbance();
      if (!this.isDead && !this.isPaused()) this.silentFrom = undefined;
    });
  }

  /** Records that a fault kept the process from showing that it is alive. */
  noteDisturbance(): void {
    this.disturbedAt = this.environment.scheduler.now();
  }

  /** Since when it has been alive and undisturbed; `Infinity` if it is not. */
  healthySince(): number {
    return this.isDead || this.isPaused() || this.stopping.signal.aborted ? Infinity : this.disturbedAt;
  }

  onExit(exit: () => void): void {
    this.exits.push(exit);
  }

  /** Name of one call that stays the same when other faults are removed from the schedule. */
  private nameOf(what: string): string {
    const count = (this.counters.get(what) ?? 0) + 1;
    this.counters.set(what, count);
    return `${this.processId} ${what} #${count}`;
  }
}

function unreachable(needs: 'log' | 'queues' | undefined): Error {
  return needs === 'queues'
    ? new QueuesUnreachable('the queues are away')
    : new DatabaseUnreachable(new Error('it is away'));
}
