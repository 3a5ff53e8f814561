import { faultPoint } from '@phaseline/fault-points';
import { DelayedError, UnrecoverableError, WaitingError } from 'bullmq';
import type { Job } from 'bullmq';
import { backoffDelay } from './backoff.js';
import type { Contract, QueueName } from './catalogue.js';
import { cleanText, errorText } from './clean-text.js';
import type { ContractWorker } from './contract-worker.js';
import type { DeadLetterSink } from './dead-letter.js';
import { endsWithin } from './ends-within.js';
import type { Handler, QueueMetrics } from './handler.js';
import { judge, postponements, stalledBefore } from './judge-delivery.js';
import type { Verdict } from './judge-delivery.js';
import { LockLost, QueueClosing } from './queue-errors.js';

export interface ConsumerOptions<Payload> {
  readonly queue: QueueName;
  readonly contract: Contract<Payload>;
  readonly handler: Handler<Payload>;
  readonly onDeadLetter: DeadLetterSink;
  readonly onError: (error: Error) => void;
  readonly metrics: QueueMetrics;
  /** Wait before a message is delivered again whose dead letter could not be stored. */
  readonly deadLetterRetryMs: number;
}

interface Running {
  readonly messageId: string;
  readonly abort: AbortController;
  /** Ends the delivery without its handler. One for each delivery: waiting on a promise that outlives it would leak. */
  readonly abandoned: PromiseWithResolvers<Verdict>;
}

/** The deliveries of one queue in this process: runs the handler for each and tells BullMQ how it ended. */
export class Consumer<Payload> {
  readonly #options: ConsumerOptions<Payload>;
  readonly #running = new Set<Running>();
  #worker: ContractWorker | undefined;
  #closing = false;

  constructor(options: ConsumerOptions<Payload>) {
    this.#options = options;
  }

  get queue(): QueueName {
    return this.#options.queue;
  }

  /** Ids of the messages whose handlers run now. */
  get running(): string[] {
    return [...this.#running].map(({ messageId }) => messageId);
  }

  /** Takes messages from `worker`, which must hand its jobs to `deliver` and have a listener for its errors. */
  attach(worker: ContractWorker): void {
    const { onError, metrics, queue } = this.#options;
    this.#worker = worker;
    worker.on('stalled', () => metrics.stalled?.(queue));
    worker.on('lockRenewalFailed', (messageIds) => {
      for (const messageId of messageIds) this.#loseLock(messageId);
    });
    worker.run().catch(onError);
  }

  /** Takes no more messages; those that are being handled are finished. */
  pause(): void {
    this.#worker?.pause(true).catch(this.#options.onError);
  }

  resume(): void {
    void this.#worker?.resume();
  }

  /** BullMQ's processor: returns when the message has ended, throws what makes BullMQ do anything else with it. */
  async deliver(job: Job<unknown, void, string>, token = ''): Promise<void> {
    const messageId = job.id ?? '';
    // The same message again while its last handler still runs here: that one was taken for dead.
    this.#loseLock(messageId);
    const running: Running = { messageId, abort: new AbortController(), abandoned: Promise.withResolvers() };
    const startedAt = performance.now();
    const firstDelivery = !stalledBefore(job) && job.attemptsStarted <= 1;
    this.#running.add(running);
    faultPoint('queue.taken', messageId);
    let outcome: Verdict['outcome'] = 'lost';
    try {
      const verdict = await this.#verdict(job, running);
      outcome = verdict.outcome;
      faultPoint('queue.before-settle', messageId);
      await this.#settle(job, token, verdict);
    } finally {
      this.#running.delete(running);
      const due = job.timestamp + (job.opts.delay ?? 0);
      // Both by the clock of the queues' server.
      const waitMs = firstDelivery && job.processedOn ? Math.max(0, job.processedOn - due) : undefined;
      this.#options.metrics.settled?.({
        queue: this.queue,
        outcome,
        waitMs,
        runMs: Math.round(performance.now() - startedAt),
      });
    }
  }

  /**
   * Stops taking messages, aborts the handlers and waits for them. Handlers that still run shortly before `deadline` (by
   * `performance.now()`) are left to themselves; their messages are delivered again when their locks have run out.
   * @returns the ids of the messages that were left, and whether the worker is really down
   */
  async close(deadline: number): Promise<{ abandoned: string[]; closed: boolean }> {
    this.#closing = true;
    for (const { abort } of this.#running) abort.abort(new QueueClosing());
    const closed = this.#worker?.close() ?? Promise.resolve();
    const left = Math.max(0, deadline - performance.now());
    // A tenth of the time, at most half a second, is kept for the worker itself.
    if (await endsWithin(left - Math.min(500, left / 10), closed)) return { abandoned: [], closed: true };
    const abandoned = this.running;
    for (const running of this.#running) running.abandoned.resolve({ outcome: 'abandoned' });
    return { abandoned, closed: await endsWithin(deadline - performance.now(), closed) };
  }

  #loseLock(messageId: string): void {
    for (const { messageId: id, abort } of this.#running) {
      if (id === messageId) abort.abort(new LockLost(this.queue, messageId));
    }
  }

  async #verdict(job: Job<unknown, void, string>, { abort, abandoned }: Running): Promise<Verdict> {
    if (this.#closing) return { outcome: 'released' };
    const judged = judge({ ...this.#options, job, signal: abort.signal }).then((verdict) =>
      verdict.outcome === 'dead' ? this.#bury(job, verdict) : verdict,
    );
    return Promise.race([judged, abandoned.promise]);
  }

  /** The letter first, the removal afterwards. A letter that cannot be stored keeps its message. */
  async #bury(job: Job<unknown, void, string>, verdict: Extract<Verdict, { outcome: 'dead' }>): Promise<Verdict> {
    try {
      await this.#options.onDeadLetter(verdict.letter);
      return verdict;
    } catch (error) {
      this.#options.onError(
        new Error(
          `The dead letter of message ${job.id} (${this.queue}) could not be stored; the message comes again.`,
          { cause: error },
        ),
      );
      return {
        outcome: 'postponed',
        retryAt: Date.now() + this.#options.deadLetterRetryMs,
        postponed: postponements(job),
      };
    }
  }

  async #settle(job: Job<unknown, void, string>, token: string, verdict: Verdict): Promise<void> {
    const { contract } = this.#options;
    // Whatever the producer asked for: a message is gone when it has ended.
    Object.assign(job.opts, {
      removeOnComplete: true,
      removeOnFail: true,
      attempts: contract.attempts,
      stackTraceLimit: 1,
    });
    switch (verdict.outcome) {
      case 'completed':
        return;
      case 'postponed': {
        await this.#orLeave(async () => {
          await job.updateProgress({ postponed: verdict.postponed });
          await job.moveToDelayed(verdict.retryAt, token);
        });
        throw new DelayedError();
      }
      case 'retried':
        job.opts.backoff = { type: 'fixed', delay: backoffDelay(contract.backoff, job.attemptsMade + 1) };
        throw cleanError(verdict.error);
      case 'dead':
        throw new UnrecoverableError(verdict.letter.reason);
      case 'released':
        await this.#orLeave(() => job.moveToWait(token));
        throw new WaitingError();
      case 'lost':
      case 'abandoned':
        // Not moved: it stays active until the lock has run out, then somebody finds it stalled.
        throw new DelayedError();
    }
  }

  /** When the message cannot be moved it is left as it is: any other error would count as an attempt, and the last one removes it. */
  async #orLeave(move: () => Promise<unknown>): Promise<void> {
    await move().catch((error: unknown) =>
      this.#options.onError(error instanceof Error ? error : new Error(String(error))),
    );
  }
}

function cleanError(thrown: unknown): Error {
  const error = new Error(errorText(thrown), { cause: thrown });
  // Stored with the message for people who look into the queue. A whole stack of a chain of errors may be very long.
  if (thrown instanceof Error && thrown.stack) error.stack = cleanText(thrown.stack.slice(0, 4_000));
  return error;
}
