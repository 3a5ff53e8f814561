import { sleepUntilAborted } from '@phaseline/basics';
import type { ChatModel } from '@phaseline/model';

/** Interval in milliseconds at which an unreachable server is probed while calls wait for it. */
const PROBE_EVERY_MS = 10_000;

/** Resolves after `delayMs`, or early and without an error when the signal is aborted. */
export type Sleep = (delayMs: number, signal: AbortSignal) => Promise<void>;

/**
 * What ended a pause: the delay, a successful call of another phase, a probe that found the server reachable again, or a
 * request.
 */
export type WakeReason = 'time' | 'answer' | 'probe' | 'request';

/**
 * Holds the calls of one process that wait for their model servers. A successful call to a server wakes all calls that
 * wait for it, and so does a probe that finds it reachable again, so that no call waits longer than the outage lasts.
 */
export class OutageWatch {
  private readonly waiting = new Map<string, Set<(reason: WakeReason) => void>>();
  /** Stops the probe of a server once no call waits for it. */
  private readonly probing = new Map<string, AbortController>();

  constructor(
    private readonly sleep: Sleep,
    private readonly probeEveryMs: number = PROBE_EVERY_MS,
  ) {}

  /**
   * Waits until `delayMs` have passed, or until something indicates that another attempt is worthwhile. Aborting ends the
   * wait immediately.
   */
  async pause(
    name: string,
    model: ChatModel,
    {
      delayMs,
      signal,
      isDeaf,
      register,
    }: {
      readonly delayMs: number;
      readonly signal: AbortSignal;
      /** Whether the pause ends only after its delay or on request. */
      readonly isDeaf: boolean;
      /** Receives the function that ends this pause on request. */
      readonly register: (wake: () => void) => void;
    },
  ): Promise<WakeReason> {
    const end = new AbortController();
    let woken: WakeReason = 'time';
    const wake = (reason: WakeReason): void => {
      if (end.signal.aborted || (isDeaf && reason !== 'request')) return;
      woken = reason;
      end.abort();
    };
    const others = this.waiting.get(name) ?? new Set();
    this.waiting.set(name, others.add(wake));
    register(() => wake('request'));
    this.probe(name, model);
    await this.sleep(delayMs, AbortSignal.any([signal, end.signal]));
    others.delete(wake);
    if (others.size === 0 && this.waiting.get(name) === others) {
      this.waiting.delete(name);
      this.probing.get(name)?.abort();
      this.probing.delete(name);
    }
    return woken;
  }

  /** Wakes the calls that wait for the server, because it has answered a call. */
  wakeWaiting(name: string, reason: WakeReason = 'answer'): void {
    for (const wake of this.waiting.get(name) ?? []) wake(reason);
  }

  /**
   * Probes the server while a call waits for it. Only a change from unreachable to reachable wakes calls: a server may
   * answer the probe and still fail.
   */
  private probe(name: string, model: ChatModel): void {
    if (!model.probe || this.probing.has(name)) return;
    const stop = new AbortController();
    this.probing.set(name, stop);
    const poll = async (): Promise<void> => {
      let isThere = true;
      while (!stop.signal.aborted) {
        const wasThere = isThere;
        isThere = (await model.probe?.(stop.signal)) ?? true;
        if (stop.signal.aborted) return;
        if (isThere && !wasThere) this.wakeWaiting(name, 'probe');
        await sleepUntilAborted(this.probeEveryMs, stop.signal);
      }
    };
    // A probe should never reject. If it does, ignore it.
    poll().catch(() => undefined);
  }
}
