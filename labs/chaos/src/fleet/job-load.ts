import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { CHAOS_AGENT } from '../agent/chaos-definitions.js';
import type { LogReader } from '../judge/log-reader.js';

/** Interval at which the log is queried for ended jobs. */
const POLL_INTERVAL_MS = 150;
/** A submission that no orchestrator accepts within this time fails the run. */
const SUBMIT_TIMEOUT_MS = 90_000;

/** Keeps a number of jobs running, so that every fault hits some of them. */
export class JobLoad {
  /** All submitted jobs, including ended ones. */
  readonly submittedJobs = new Set<string>();
  readonly openJobs = new Set<JobId>();
  /** When each job was submitted and was found to have ended, on this process's clock. */
  readonly jobTimes = new Map<string, { readonly from: number; until?: number }>();
  private readonly stopping = new AbortController();
  private readonly submitting = new Set<Promise<void>>();
  private loop: Promise<void> | undefined;
  private submissions = 0;
  private failure: unknown;

  constructor(
    private readonly apiUrls: readonly string[],
    private readonly log: LogReader,
    /** Number of jobs to keep running. */
    private readonly concurrency: number,
    /** Agents of the jobs, in turn. */
    private readonly agents: readonly string[] = [CHAOS_AGENT],
  ) {}

  start(): void {
    this.loop = this.run();
  }

  /** Stops submitting and waits until all jobs have ended. Returns false once no job has ended for `stallMs`. */
  async finish(stallMs: number): Promise<boolean> {
    this.stopping.abort();
    await this.loop;
    await Promise.all(this.submitting);
    if (this.failure) throw this.failure;
    for (let last = Date.now(); this.openJobs.size > 0; await sleep(POLL_INTERVAL_MS)) {
      const before = this.openJobs.size;
      await this.removeEnded();
      if (this.openJobs.size < before) last = Date.now();
      if (Date.now() - last > stallMs) return false;
    }
    return true;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.removeEnded();
      while (this.openJobs.size + this.submitting.size < this.concurrency && !this.stopping.signal.aborted) {
        const submission = this.submit()
          .catch((error: unknown) => {
            this.failure ??= error;
          })
          .finally(() => this.submitting.delete(submission));
        this.submitting.add(submission);
      }
      await sleep(POLL_INTERVAL_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  private async removeEnded(): Promise<void> {
    if (this.openJobs.size === 0) return;
    for (const jobId of await this.log.findEndedJobs([...this.openJobs])) {
      this.openJobs.delete(jobId);
      const times = this.jobTimes.get(jobId);
      if (times) times.until = Date.now();
    }
  }

  /** Sends one request to one orchestrator after the other until one answers. The idempotency key makes it one job. */
  private async submit(): Promise<void> {
    const idempotencyKey = randomUUID();
    const from = Date.now();
    const first = this.submissions++;
    const agent = this.agents[first % this.agents.length]!;
    for (let at = first; ; at += 1) {
      const client = new PhaselineClient({
        baseUrl: this.apiUrls[at % this.apiUrls.length]!,
        retries: 0,
        timeoutMs: 10_000,
      });
      try {
        const { jobId } = await client.submit({ agent, idempotencyKey });
        this.submittedJobs.add(jobId);
        this.openJobs.add(jobId);
        this.jobTimes.set(jobId, { from });
        return;
      } catch (error) {
        if (Date.now() - from > SUBMIT_TIMEOUT_MS) throw error;
        await sleep(100);
      }
    }
  }
}
