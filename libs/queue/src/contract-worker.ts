import {
  LockManager,
  Worker,
  type BackendFactory,
  type IQueueBackend,
  type Job,
  type JobJson,
  type Processor,
  type WorkerOptions,
} from 'bullmq';
import { describeExcess, findExcess, type JsonBounds } from './json-scan.js';

/** The text of a message that was not parsed, and the reason. */
export interface UnreadableData {
  readonly problem: string;
  readonly text: string;
}

/** Characters kept of a message that is too large: enough to identify the message and its sender. */
const MAX_KEPT_LENGTH = 64 * 1024;

/** Messages that are too large or not JSON. Without this, BullMQ would throw outside the handler, leave the message active and loop. */
const unreadable = new WeakMap<object, UnreadableData>();

/** Returns why the data of a message was not parsed: it exceeds a limit or is not JSON (for example, Python's `NaN`). */
export function getUnreadableData(job: Job): UnreadableData | undefined {
  return unreadable.get(job);
}

/** Returns the JSON text of a message. The PostgreSQL backend passes on an oversized message as text, which BullMQ wraps in a JSON string. */
function unwrapText(data: string | undefined): string {
  if (data === undefined || !/^"[{[]/.test(data)) return data ?? '';
  try {
    const inner: unknown = JSON.parse(data);
    return typeof inner === 'string' ? inner : data;
  } catch {
    return data;
  }
}

/**
 * Renews locks on the monotonic clock. BullMQ uses the wall clock: when that is set back, it renews no lock until the
 * clock has caught up.
 */
class SteadyLockManager extends LockManager {
  private readonly renewedAt = new Map<string, number>();

  override start(): void {
    const { lockRenewTime } = this.opts;
    if (this.closed || lockRenewTime <= 0) return;
    const renew = async (): Promise<void> => {
      const now = performance.now();
      const due = [...this.trackedJobs.keys()].filter((id) => now - (this.renewedAt.get(id) ?? 0) > lockRenewTime / 2);
      for (const id of due) this.renewedAt.set(id, now);
      if (due.length > 0) await this.extendLocks(due);
      if (!this.closed) this.lockRenewalTimer = setTimeout(() => void renew(), lockRenewTime / 2);
    };
    this.lockRenewalTimer = setTimeout(() => void renew(), lockRenewTime / 2);
  }

  override trackJob(...args: Parameters<LockManager['trackJob']>): ReturnType<LockManager['trackJob']> {
    this.renewedAt.set(args[0], performance.now());
    return super.trackJob(...args);
  }

  override untrackJob(jobId: string): void {
    this.renewedAt.delete(jobId);
    super.untrackJob(jobId);
  }
}

/** BullMQ's worker with five methods overridden. Pinned to bullmq 6.7.0. */
export class ContractWorker extends Worker<unknown, void, string, IQueueBackend> {
  /** Lock tokens of the running handlers, by message id. */
  private readonly tokens = new Map<string, string[]>();

  constructor(
    name: string,
    processor: Processor<unknown, void, string>,
    options: WorkerOptions,
    factory: BackendFactory<IQueueBackend>,
    private readonly bounds: JsonBounds,
  ) {
    super(name, processor, { ...options, autorun: false }, factory);
    // A worker that is paused while it waits for a message would still take the next one.
    const moveToActive = this.backend.moveToActive.bind(this.backend);
    this.backend.moveToActive = async (token, workerName) =>
      this.paused ? [null, '', 0, 0] : moveToActive(token, workerName);
  }

  protected override createLockManager(): void {
    // The context of a lock manager names members that the types of a worker hide.
    this.lockManager = new SteadyLockManager(this as never, {
      lockRenewTime: this.opts.lockRenewTime ?? 0,
      lockDuration: this.opts.lockDuration ?? 0,
      workerId: this.id,
    });
  }

  protected override createJob(data: JobJson, jobId: string): Job<unknown, void, string> {
    // Checked before parsing: a message of 4 MB with 300,000 members would block the event loop for seconds.
    const source = unwrapText(data.data);
    const excess = findExcess(source, this.bounds);
    if (excess !== undefined) {
      const isCut = excess === 'bytes' && source.length > MAX_KEPT_LENGTH;
      return this.createUnreadableJob(data, jobId, {
        problem: `the message was rejected: ${describeExcess(excess, this.bounds)}${isCut ? `; the first ${MAX_KEPT_LENGTH} characters are kept` : ''}`,
        text: isCut ? source.slice(0, MAX_KEPT_LENGTH) : source,
      });
    }
    try {
      return super.createJob(data, jobId);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return this.createUnreadableJob(data, jobId, { problem: 'the payload is not JSON', text: data.data });
    }
  }

  private createUnreadableJob(data: JobJson, jobId: string, reason: UnreadableData): Job<unknown, void, string> {
    const job = super.createJob({ ...data, data: 'null' }, jobId);
    unreadable.set(job, reason);
    return job;
  }

  /** Limits how long the worker blocks. After a lost connection BullMQ may block for an hour; this bounds the delay of a missed wake-up. */
  protected override getBlockTimeout(blockUntil: number): number {
    return Math.min(super.getBlockTimeout(blockUntil), this.opts.drainDelay ?? 5);
  }

  /**
   * Keeps the lock of a redelivered message renewed. BullMQ tracks locks by message id, so when this process receives a message again
   * while its old handler is still stopping, the end of the old handler would stop the renewal for the new one.
   */
  override async processJob(
    job: Job<unknown, void, string>,
    token: string,
    fetchNext?: () => boolean,
  ): Promise<void | Job<unknown, void, string>> {
    const id = job.id ?? '';
    const tokens = this.tokens.get(id) ?? [];
    this.tokens.set(id, tokens);
    tokens.push(token);
    try {
      return await super.processJob(job, token, fetchNext);
    } finally {
      tokens.splice(tokens.indexOf(token), 1);
      const current = tokens.at(-1);
      if (current === undefined) this.tokens.delete(id);
      else this.lockManager.trackJob(id, current, Date.now());
    }
  }
}
