import { DatabaseUnreachable } from '@phaseline/event-store';
import type { Cancel, Scheduler } from '../schedule/scheduler.js';
import type { Chance } from '../schedule/chance.js';
import type { FaultKind, FaultPlan, Place } from '../schedule/faults.js';

/** What a process shares with all others. */
export interface Surroundings {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly faults: FaultPlan;
  /** Whether nothing goes wrong any more: the last part of a run, in which everything has to come to its end. */
  calm(): boolean;
  /** Whether the log or the queues can be reached now. */
  reachable(what: 'log' | 'queues'): boolean;
  /** A process is gone; somebody starts another. */
  onExit(host: Host): void;
}

export interface Latency {
  readonly from: number;
  readonly to: number;
}

/** The queues cannot be reached; whether a message was stored is not known. */
export class QueuesAway extends Error {
  override readonly name = 'QueuesAway';
  readonly code = 'QUEUE_UNAVAILABLE';
}

const QUICK: Latency = { from: 1, to: 12 };
/** The reason with which handlers are stopped when a process shuts down in order. */
const SHUTTING_DOWN = new Error('the process is shutting down');
const STOP_GRACE_MS = 3_000;

/**
 * One process: everything that its code waits for goes through `call`, and goes on only while the process lives and is
 * not paused. A process that crashed never hears of anything again; a paused one hears of it when it wakes.
 */
export class Host {
  readonly processId: string;
  private readonly stopping = new AbortController();
  private readonly counters = new Map<string, number>();
  private readonly exits: (() => void)[] = [];
  private dead = false;
  private pausedUntil = 0;
  private silent: number | undefined;
  private disturbedAt = -Infinity;
  /** How far the wall clock of its machine is ahead, in milliseconds. */
  clockAheadMs = 0;

  constructor(
    readonly role: string,
    readonly incarnation: number,
    private readonly around: Surroundings,
  ) {
    this.processId = `${role}~${incarnation}`;
  }

  get alive(): boolean {
    return !this.dead;
  }

  /** Fires when the process is asked to stop. */
  get shutdown(): AbortSignal {
    return this.stopping.signal;
  }

  /** Takes new work: it lives, runs, and was not asked to stop. */
  takes(): boolean {
    return !this.dead && !this.stopping.signal.aborted && !this.paused();
  }

  /** What the wall clock of its machine says. Timers and intervals do not go by it. */
  wallClock(): number {
    return this.around.scheduler.now() + this.clockAheadMs;
  }

  paused(): boolean {
    return this.pausedUntil > this.around.scheduler.now();
  }

  /** Since when it gives no sign of life; undefined while it does. */
  silentSince(): number | undefined {
    return this.dead || this.paused() ? this.silent : undefined;
  }

  /** Runs code of this process later: not while it is paused, and not once it is dead. */
  later(ms: number, run: () => void): Cancel {
    let cancelled = false;
    const attempt = (): void => {
      if (this.dead || cancelled) return;
      if (this.paused()) {
        this.around.scheduler.after(this.pausedUntil - this.around.scheduler.now() + 1, attempt);
        return;
      }
      run();
    };
    this.around.scheduler.after(ms, attempt);
    return () => {
      cancelled = true;
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.later(ms, resolve));
  }

  /**
   * Asks something outside of the process. The effect happens once the request has travelled, and the caller hears of
   * it once the answer has. In between, and before, everything may happen to the process.
   */
  call<Result>(
    place: Place,
    what: string,
    effect: (fault: FaultKind | undefined) => Result | Promise<Result>,
    options: { readonly latency?: Latency; readonly needs?: 'log' | 'queues' } = {},
  ): Promise<Result> {
    const { latency = QUICK, needs } = options;
    const { scheduler, chance, faults } = this.around;
    const at = this.nameOf(what);
    const roll = chance.at(at);
    const fault = this.dead || this.around.calm() ? undefined : faults.draw(place, at);
    const slow = fault === 'slow' ? 5_000 : fault === 'very slow' ? 25_000 : 0;
    const there = roll.between(latency.from, latency.to) + Math.round(slow * roll.fraction() * 2);
    const back = roll.between(1, 6);
    return new Promise((resolve, reject) => {
      if (this.dead) return;
      const answer = (settle: () => void): void => void this.later(back, settle);
      const away = (): boolean => needs !== undefined && !this.around.reachable(needs);
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
        // The request leaves when the process wakes.
        this.later(there, arrive);
      } else if (!this.dead) scheduler.after(there, arrive);
    });
  }

  /** The process is gone from one instant to the next. */
  crash(): void {
    if (this.dead) return;
    this.disturb();
    this.silent ??= this.around.scheduler.now();
    this.dead = true;
    for (const exit of this.exits) exit();
    this.around.onExit(this);
  }

  /**
   * The run is over. Code that waits for ever is let go of: Node keeps a combined signal, and all that listens to it,
   * until it fires.
   */
  forget(): void {
    this.dead = true;
    this.stopping.abort(SHUTTING_DOWN);
  }

  /** Asked to stop in order: handlers are told, and what has not ended after the grace is cut off. */
  stop(): void {
    if (this.dead || this.stopping.signal.aborted) return;
    this.stopping.abort(SHUTTING_DOWN);
    this.later(STOP_GRACE_MS, () => this.crash());
  }

  /** Stands still, as after SIGSTOP or a long garbage collection. */
  pause(ms: number): void {
    const now = this.around.scheduler.now();
    if (!this.paused()) this.silent = now;
    this.pausedUntil = Math.max(this.pausedUntil, now + ms);
    this.around.scheduler.after(this.pausedUntil - now, () => {
      this.disturb();
      if (!this.dead && !this.paused()) this.silent = undefined;
    });
  }

  /** Something keeps it from showing that it lives. */
  disturb(): void {
    this.disturbedAt = this.around.scheduler.now();
  }

  /** Since when it has lived undisturbed; `Infinity` when it does not. */
  wellSince(): number {
    return this.dead || this.paused() || this.stopping.signal.aborted ? Infinity : this.disturbedAt;
  }

  onExit(exit: () => void): void {
    this.exits.push(exit);
  }

  /** A name for one call that stays the same when other faults are taken out of the schedule. */
  private nameOf(what: string): string {
    const count = (this.counters.get(what) ?? 0) + 1;
    this.counters.set(what, count);
    return `${this.processId} ${what} #${count}`;
  }
}

function unreachable(needs: 'log' | 'queues' | undefined): Error {
  return needs === 'queues' ? new QueuesAway('the queues are away') : new DatabaseUnreachable(new Error('it is away'));
}
