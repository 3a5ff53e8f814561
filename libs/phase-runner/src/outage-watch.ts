import type { ChatModel } from '@phaseline/model';

/** How often the server is asked whether it is back while calls wait for it. */
const PROBE_EVERY_MS = 10_000;

/** Ends after so long, or early and without an error when the signal is aborted. */
export type Sleep = (delayMs: number, signal: AbortSignal) => Promise<void>;

/** What ended a pause: its time, an answer of the server to somebody else, the server being there again, or a request. */
export type WakeReason = 'time' | 'answer' | 'probe' | 'request';

/**
 * Calls of one process that wait for their model servers. An answer to any of them wakes the others that wait for the same
 * server, and so does a server that can be reached again, so that nobody sleeps longer than the outage lasts.
 */
export class OutageWatch {
  private readonly waiting = new Map<string, Set<(reason: WakeReason) => void>>();
  /** What stops asking a server, once nobody waits for it any more. */
  private readonly probing = new Map<string, AbortController>();

  constructor(
    private readonly sleep: Sleep,
    private readonly probeEveryMs: number = PROBE_EVERY_MS,
  ) {}

  /** Waits until `delayMs` have passed or something says that asking again is worth it. Aborting ends it at once. */
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
      /** Whether only its time and a request end the pause. */
      readonly isDeaf: boolean;
      /** Is given what ends this pause at somebody's request. */
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

  /** Tells those who wait that the server has answered. */
  answered(name: string): void {
    this.wakeAll(name, 'answer');
  }

  private wakeAll(name: string, reason: WakeReason): void {
    for (const wake of this.waiting.get(name) ?? []) wake(reason);
  }

  /** Asks the server whether it is there, while anybody waits for it. Only its coming back wakes: it may answer and yet fail. */
  private probe(name: string, model: ChatModel): void {
    if (!model.probe || this.probing.has(name)) return;
    const stop = new AbortController();
    this.probing.set(name, stop);
    const ask = async (): Promise<void> => {
      let isThere = true;
      while (!stop.signal.aborted) {
        const wasThere = isThere;
        isThere = (await model.probe?.(stop.signal)) ?? true;
        if (stop.signal.aborted) return;
        if (isThere && !wasThere) this.wakeAll(name, 'probe');
        await sleepAwake(this.probeEveryMs, stop.signal);
      }
    };
    // A probe never rejects; one that does all the same tells nothing.
    ask().catch(() => undefined);
  }
}

export function sleepAwake(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    signal.addEventListener('abort', end, { once: true });
  });
}

/** One outage as one call sees it. */
export interface Outage {
  /** Attempts that failed since the wait began. */
  readonly attempts: number;
  /** How often the server had answered others meanwhile, and failed this call all the same. */
  readonly answeredOthers: number;
  /** How often a pause ended early because the server could be reached again. */
  readonly probes: number;
}

const MAX_PAUSE_MS = 300_000;
const MAX_CHARGED_PAUSE_MS = 3_600_000;
const BASE_PAUSE_MS = 2_000;
const BASE_CHARGED_PAUSE_MS = 15_000;
/** Pauses that end early where an attempt may be charged: a server that comes and goes must not cost a reservation each time. */
export const MAX_EARLY_ATTEMPTS = 5;
/** A server that failed this call as often while it answered others fails at this call, not at its work. */
export const MAX_ANSWERED_OTHERS = 3;

/**
 * The pause before the next attempt: doubled with each one, up to five minutes; where an attempt may be charged, up to an hour, so
 * that an outage of hours costs some ten reservations and not hundreds. Never less than the server asks for. The job's id
 * spreads the attempts of many jobs.
 */
export function pauseMs(
  { attempts }: Outage,
  failed: { readonly mayBeCharged: boolean; readonly retryAfterMs: number | undefined },
  jobId: string,
): number {
  const [base, most] = failed.mayBeCharged
    ? [BASE_CHARGED_PAUSE_MS, MAX_CHARGED_PAUSE_MS]
    : [BASE_PAUSE_MS, MAX_PAUSE_MS];
  const step = Math.min(most, base * 2 ** Math.min(attempts, 20));
  const spread = (parseInt(jobId.replaceAll('-', '').slice(-4), 16) || 0) / 0xffff;
  const asked = Math.min(failed.retryAfterMs ?? 0, MAX_CHARGED_PAUSE_MS);
  return Math.round(Math.max(step * (0.75 + spread / 4), asked));
}
