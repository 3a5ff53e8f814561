import { LockManager, Worker } from 'bullmq';
import { describeExcess, excessOf, type JsonBounds } from './json-scan.js';
import type { BackendFactory, IQueueBackend, Job, JobJson, Processor, WorkerOptions } from 'bullmq';

/** Why a message was not parsed, and its text. */
export interface Unreadable {
  readonly problem: string;
  readonly text: string;
}

/** Characters that are kept of a message which is too large: enough to see who sent what. */
const KEPT_OF_TOO_LARGE = 64 * 1024;

/** Messages that were not parsed: too large, or not JSON. BullMQ would throw outside any handler, leave the message active and loop. */
const unreadable = new WeakMap<object, Unreadable>();

/** Why the data of this message was not parsed: it passes a limit, or is not JSON (Python's `NaN`, for example). */
export function unreadableData(job: Job): Unreadable | undefined {
  return unreadable.get(job);
}

/** PostgreSQL hands over a message that passes all bounds as its text, which BullMQ then wraps as a JSON string. */
function textOf(data: string | undefined): string {
  if (data === undefined || !/^"[{[]/.test(data)) return data ?? '';
  try {
    const inner: unknown = JSON.parse(data);
    return typeof inner === 'string' ? inner : data;
  } catch {
    return data;
  }
}

/** BullMQ decides by the wall clock which locks to renew: set back, it would renew none until it has caught up. */
class SteadyLockManager extends LockManager {
  readonly #renewedAt = new Map<string, number>();

  override start(): void {
    const { lockRenewTime } = this.opts;
    if (this.closed || lockRenewTime <= 0) return;
    const renew = async (): Promise<void> => {
      const now = performance.now();
      const due = [...this.trackedJobs.keys()].filter((id) => now - (this.#renewedAt.get(id) ?? 0) > lockRenewTime / 2);
      for (const id of due) this.#renewedAt.set(id, now);
      if (due.length > 0) await this.extendLocks(due);
      if (!this.closed) this.lockRenewalTimer = setTimeout(() => void renew(), lockRenewTime / 2);
    };
    this.lockRenewalTimer = setTimeout(() => void renew(), lockRenewTime / 2);
  }

  override trackJob(...args: Parameters<LockManager['trackJob']>): ReturnType<LockManager['trackJob']> {
    this.#renewedAt.set(args[0], performance.now());
    return super.trackJob(...args);
  }

  override untrackJob(jobId: string): void {
    this.#renewedAt.delete(jobId);
    super.untrackJob(jobId);
  }
}

/** BullMQ's worker, changed in five places where its behaviour does not suit us. Pinned to bullmq 6.7.0. */
export class ContractWorker extends Worker<unknown, void, string, IQueueBackend> {
  readonly #holders = new Map<string, string[]>();

  constructor(
    name: string,
    processor: Processor<unknown, void, string>,
    options: WorkerOptions,
    factory: BackendFactory<IQueueBackend>,
    private readonly bounds: JsonBounds,
  ) {
    super(name, processor, { ...options, autorun: false }, factory);
    // A worker that waits for a message when it is paused would still take the next one.
    const take = this.backend.moveToActive.bind(this.backend);
    this.backend.moveToActive = async (token, workerName) => (this.paused ? [null, '', 0, 0] : take(token, workerName));
  }

  protected override createLockManager(): void {
    this.lockManager = new SteadyLockManager(this as never, {
      lockRenewTime: this.opts.lockRenewTime ?? 0,
      lockDuration: this.opts.lockDuration ?? 0,
      workerId: this.id,
    });
  }

  protected override createJob(data: JobJson, jobId: string): Job<unknown, void, string> {
    // Before it is parsed: a message of 4 MB with 300,000 members would hold the process for seconds.
    const source = textOf(data.data);
    const excess = excessOf(source, this.bounds);
    if (excess !== undefined) {
      const cut = excess === 'bytes' && source.length > KEPT_OF_TOO_LARGE;
      return this.#unread(data, jobId, {
        problem: `the message is not taken: ${describeExcess(excess, this.bounds)}${cut ? `; the first ${KEPT_OF_TOO_LARGE} characters are kept` : ''}`,
        text: cut ? source.slice(0, KEPT_OF_TOO_LARGE) : source,
      });
    }
    try {
      return super.createJob(data, jobId);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return this.#unread(data, jobId, { problem: 'the payload is not JSON', text: data.data });
    }
  }

  #unread(data: JobJson, jobId: string, why: Unreadable): Job<unknown, void, string> {
    const job = super.createJob({ ...data, data: 'null' }, jobId);
    unreadable.set(job, why);
    return job;
  }

  /** After a lost connection BullMQ may block for up to an hour; a look every few seconds is the safety net for lost wake-ups. */
  protected override getBlockTimeout(blockUntil: number): number {
    return Math.min(super.getBlockTimeout(blockUntil), this.opts.drainDelay ?? 5);
  }

  /**
   * Locks are tracked by message id. When a message that this process lost comes back to it while the old handler still winds
   * down, the end of the old one would stop the renewal for the new one. So it is tracked again.
   */
  override async processJob(
    job: Job<unknown, void, string>,
    token: string,
    fetchNext?: () => boolean,
  ): Promise<void | Job<unknown, void, string>> {
    const id = job.id ?? '';
    const holders = this.#holders.get(id) ?? [];
    this.#holders.set(id, holders);
    holders.push(token);
    try {
      return await super.processJob(job, token, fetchNext);
    } finally {
      holders.splice(holders.indexOf(token), 1);
      const holder = holders.at(-1);
      if (holder === undefined) this.#holders.delete(id);
      else this.lockManager.trackJob(id, holder, Date.now());
    }
  }
}
