import { monitorEventLoopDelay } from 'node:perf_hooks';
import { duration } from './duration.js';

export interface EventLoopWatchOptions {
  /** A block longer than this is told of, in milliseconds. */
  readonly limitMs: number;
  /** Told once for each block, as soon as it is over. */
  readonly onBlocked: (blockedMs: number) => void;
}

/** Fine enough for limits of some hundred milliseconds, and no load. */
const RESOLUTION_MS = 20;
const LOOK_EVERY_MS = 500;
/** A probe asks every few seconds; whoever asks within this time after a block hears of it. */
const TELL_FOR_MS = 10_000;

/**
 * Notices that the event loop stood still: meanwhile no heartbeat, no answer and no lock renewal went out, and others may have
 * taken the work over. While it lasts the process cannot say so; it says so afterwards.
 */
export class EventLoopWatch {
  readonly #histogram: ReturnType<typeof monitorEventLoopDelay>;
  readonly #timer: NodeJS.Timeout;
  #last: { readonly blockedMs: number; readonly until: number } | undefined;

  constructor(private readonly options: EventLoopWatchOptions) {
    this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#histogram.enable();
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** A readiness check: what there was, for some seconds after it. */
  complaint(): string | undefined {
    this.#look();
    if (!this.#last || performance.now() - this.#last.until > TELL_FOR_MS) return undefined;
    const ago = duration(performance.now() - this.#last.until);
    return `the event loop was blocked for ${duration(this.#last.blockedMs)}, until ${ago} ago; others may have taken its work over`;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }

  #look(): void {
    const blockedMs = this.#histogram.max / 1e6;
    if (blockedMs <= this.options.limitMs) return;
    this.#histogram.reset();
    this.#last = { blockedMs, until: performance.now() };
    this.options.onBlocked(blockedMs);
  }
}
