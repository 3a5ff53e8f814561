import type { PhaselineClient, WaitsFor } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';

export interface StandstillMonitorOptions {
  readonly signal: AbortSignal;
  /** Time in milliseconds without an event after which the job is queried, and the interval of further queries. */
  readonly afterMs?: number;
  /** Called when the job waits for something else. */
  readonly onChange: (waitsFor: WaitsFor) => void;
}

/** Longer than most steps of a job, but short enough that the user does not suspect a fault. */
const DEFAULT_AFTER_MS = 5_000;

/** Queries what a job waits for while it has no new events. */
export class StandstillMonitor {
  private lastEventAt = performance.now();
  private queriedAt = performance.now();
  private isQuerying = false;
  private currentWait: WaitsFor | undefined;
  private readonly afterMs: number;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly client: Pick<PhaselineClient, 'get'>,
    private readonly jobId: JobId,
    private readonly options: StandstillMonitorOptions,
  ) {
    this.afterMs = options.afterMs ?? DEFAULT_AFTER_MS;
    this.timer = setInterval(() => void this.query(), Math.max(10, this.afterMs / 5));
    this.timer.unref();
  }

  /** What the job waited for at the last query; undefined while it makes progress. */
  get waitsFor(): WaitsFor | undefined {
    return this.currentWait;
  }

  /** Call this for every event of the job. */
  recordEvent(): void {
    this.lastEventAt = performance.now();
    this.currentWait = undefined;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async query(): Promise<void> {
    const now = performance.now();
    if (this.isQuerying || now - Math.max(this.lastEventAt, this.queriedAt) < this.afterMs) return;
    this.isQuerying = true;
    this.queriedAt = now;
    const before = this.lastEventAt;
    try {
      const { waitsFor } = await this.client.get(this.jobId, { signal: this.options.signal });
      // An event that arrived during the query is newer than its result.
      if (!waitsFor || this.lastEventAt !== before) return;
      const hasChanged =
        waitsFor.description !== this.currentWait?.description || waitsFor.problem !== this.currentWait.problem;
      this.currentWait = waitsFor;
      if (hasChanged) this.options.onChange(waitsFor);
    } catch {
      // The stream of events reports that the server is unreachable.
    } finally {
      this.isQuerying = false;
    }
  }
}

/** Formats what a job waits for: `waits for a worker … (no message for it is queued; …)`. */
export function formatWaitsFor({ description, problem }: WaitsFor): string {
  return `waits for ${description}${problem === undefined ? '' : ` (${problem})`}`;
}
