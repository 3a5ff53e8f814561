import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PhaselineClient } from '@phaseline/client';
import { CHAOS_AGENT } from '../agent/chaos-definitions.js';
import type { LogReader } from '../judge/log-reader.js';

/** How often the log is asked which jobs have ended. */
const LOOK_MS = 150;
/** A submission that no orchestrator took for this long is a finding. */
const SUBMIT_PATIENCE_MS = 90_000;

/** Keeps a number of jobs under way, so that whatever is broken hits some of them. */
export class JobLoad {
  /** Jobs that were submitted, ended or not. */
  readonly all = new Set<string>();
  readonly open = new Set<string>();
  /** When each job was submitted and seen to have ended, by this process's clock. */
  readonly times = new Map<string, { readonly from: number; until?: number }>();
  private readonly stop = new AbortController();
  private readonly submitting = new Set<Promise<void>>();
  private loop: Promise<void> | undefined;
  private submissions = 0;
  private failure: unknown;

  constructor(
    private readonly apiUrls: readonly string[],
    private readonly log: LogReader,
    /** Jobs at once. */
    private readonly wanted: number,
  ) {}

  start(): void {
    this.loop = this.run();
  }

  /** Submits no more, and waits until all jobs have ended; false when `patienceMs` pass in which none does. */
  async finish(patienceMs: number): Promise<boolean> {
    this.stop.abort();
    await this.loop;
    await Promise.all(this.submitting);
    if (this.failure) throw this.failure;
    for (let last = Date.now(); this.open.size > 0; await sleep(LOOK_MS)) {
      const before = this.open.size;
      await this.look();
      if (this.open.size < before) last = Date.now();
      if (Date.now() - last > patienceMs) return false;
    }
    return true;
  }

  private async run(): Promise<void> {
    while (!this.stop.signal.aborted) {
      await this.look();
      while (this.open.size + this.submitting.size < this.wanted && !this.stop.signal.aborted) {
        const submission = this.submit()
          .catch((error: unknown) => {
            this.failure ??= error;
          })
          .finally(() => this.submitting.delete(submission));
        this.submitting.add(submission);
      }
      await sleep(LOOK_MS, undefined, { signal: this.stop.signal }).catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    if (this.open.size === 0) return;
    for (const jobId of await this.log.ended([...this.open])) {
      this.open.delete(jobId);
      const times = this.times.get(jobId);
      if (times) times.until = Date.now();
    }
  }

  /** One key, sent to one orchestrator after the other until one answers: however often it arrives, it is one job. */
  private async submit(): Promise<void> {
    const idempotencyKey = randomUUID();
    const from = Date.now();
    for (let at = this.submissions++; ; at += 1) {
      const client = new PhaselineClient({
        baseUrl: this.apiUrls[at % this.apiUrls.length]!,
        retries: 0,
        timeoutMs: 10_000,
      });
      try {
        const { jobId } = await client.submit({ agent: CHAOS_AGENT, idempotencyKey });
        this.all.add(jobId);
        this.open.add(jobId);
        this.times.set(jobId, { from });
        return;
      } catch (error) {
        if (Date.now() - from > SUBMIT_PATIENCE_MS) throw error;
        await sleep(100);
      }
    }
  }
}
