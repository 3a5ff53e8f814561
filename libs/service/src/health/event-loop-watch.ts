import { monitorEventLoopDelay } from 'node:perf_hooks';
import { formatDuration } from './format-duration.js';

export interface EventLoopWatchOptions {
  /** Blocks longer than this are reported. */
  readonly limitMs: number;
  /** Called once per block, as soon as it is over. */
  readonly onBlocked: (blockedMs: number) => void;
}

/** Resolution of the measurement: fine enough for limits of some hundred milliseconds, and cheap. */
const RESOLUTION_MS = 20;
const CHECK_INTERVAL_MS = 500;
/** Time for which a block is reported after its end, so that a probe that runs every few seconds sees it. */
const REPORT_FOR_MS = 10_000;

/**
 * Detects blocks of the event loop. During a block the process sends no heartbeats, responses or lock renewals, so other processes
 * may have taken over its work. A block can only be reported after it is over.
 */
export class EventLoopWatch {
  private readonly histogram: ReturnType<typeof monitorEventLoopDelay>;
  private readonly timer: NodeJS.Timeout;
  private last: { readonly blockedMs: number; readonly until: number } | undefined;

  constructor(private readonly options: EventLoopWatchOptions) {
    this.histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.histogram.enable();
    this.timer = setInterval(() => this.check(), CHECK_INTERVAL_MS);
    this.timer.unref();
  }

  /** Readiness check: describes a recent block; undefined if there was none. */
  describeBlock(): string | undefined {
    this.check();
    if (!this.last || performance.now() - this.last.until > REPORT_FOR_MS) return undefined;
    const ago = formatDuration(performance.now() - this.last.until);
    return `the event loop was blocked for ${formatDuration(this.last.blockedMs)}, until ${ago} ago; other processes may have taken over its work`;
  }

  close(): void {
    clearInterval(this.timer);
    this.histogram.disable();
  }

  private check(): void {
    const blockedMs = this.histogram.max / 1e6;
    if (blockedMs <= this.options.limitMs) return;
    this.histogram.reset();
    this.last = { blockedMs, until: performance.now() };
    this.options.onBlocked(blockedMs);
  }
}
