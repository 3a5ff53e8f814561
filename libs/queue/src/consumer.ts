import { faultPoint } from '@phaseline/fault-points';
import { DelayedError, UnrecoverableError, WaitingError, type Job } from 'bullmq';
import { completesWithin, toWellFormedText, computeJitteredBackoffMs } from '@phaseline/basics';
import type { QueueName, QueuedMessageId } from '@phaseline/contracts';
import type { Contract } from './catalogue.js';
import { describeError } from './describe-error.js';
import { encodeMessageId } from './message-id.js';
import { parsePayload } from './parse-payload.js';
import { traceDelivery } from './trace-messages.js';
import type { ContractWorker } from './contract-worker.js';
import type { DeadLetterSink } from './dead-letter.js';
import type { Handler, QueueMetrics } from './handler.js';
import { processDelivery, countPostponements, isRedelivered, type DeliveryOutcome } from './process-delivery.js';
import { LockLost, QueueClosing } from './queue-errors.js';

export interface ConsumerOptions<Payload> {
  readonly queue: QueueName;
  readonly contract: Contract<Payload>;
  readonly handler: Handler<Payload>;
  readonly onDeadLetter: DeadLetterSink;
  readonly onError: (error: Error) => void;
  readonly metrics: QueueMetrics;
  /** Wait in milliseconds before a message is delivered again whose dead letter could not be stored. */
  readonly deadLetterRetryMs: number;
  /** Number of messages handled concurrently. */
  readonly concurrency: number;
}

interface Running {
  readonly messageId: QueuedMessageId;
  readonly abort: AbortController;
  /** Ends the delivery without waiting for its handler. One per delivery: waiting on a promise that outlives it would leak memory. */
  readonly abandoned: PromiseWithResolvers<DeliveryOutcome>;
}

/** Characters of an error's stack that are stored with a message. */
const MAX_STACK_LENGTH = 4_000;

/** Runs the handler for each message of one queue and reports the outcome to BullMQ. */
export class Consumer<Payload> {
  private readonly openDeliveries = new Set<Running>();
  /** Messages that were handed over to this process, and that are in no queue. */
  private readonly handedOver = new Set<Promise<void>>();
  private worker: ContractWorker | undefined;
  private closing = false;

  constructor(private readonly options: ConsumerOptions<Payload>) {}

  get queue(): QueueName {
    return this.options.queue;
  }

  get concurrency(): number {
    return this.options.concurrency;
  }

  /** Ids of the messages whose handlers are running. */
  get running(): QueuedMessageId[] {
    return [...this.openDeliveries].map(({ messageId }) => messageId);
  }

  /** Starts taking messages from `worker`. Its processor must be `deliver`, and it must have an `error` listener. */
  attach(worker: ContractWorker): void {
    const { onError, metrics, queue } = this.options;
    this.worker = worker;
    worker.on('stalled', () => metrics.recordStalled?.(queue));
    worker.on('lockRenewalFailed', (messageIds) => {
      for (const messageId of messageIds) this.abortHandlers(messageId);
    });
    worker.run().catch(onError);
  }

  /** Stops taking messages. Running handlers continue. */
  pause(): void {
    this.worker?.pause(true).catch(this.options.onError);
  }

  resume(): void {
    void this.worker?.resume();
  }

  /**
   * Handles a message that another process hands over, if this one is free to do so at once; returns whether it is. `enqueue` puts the
   * message into its queue, to be delivered after a delay: when the handler postpones it, or does not complete it. What is enclosed is lost
   * then.
   */
  take(data: unknown, enclosed: unknown, enqueue: (payload: Payload, delayMs: number) => Promise<void>): boolean {
    const { contract, onError } = this.options;
    if (this.closing || !this.worker || this.worker.isPaused() || this.openDeliveries.size >= this.concurrency)
      return false;
    const parsed = parsePayload(contract.schema, data);
    if ('problem' in parsed) return false;
    const { payload } = parsed;
    const handled = this.handleHandedOver(payload, enclosed)
      .then((delayMs) => (delayMs === undefined ? undefined : enqueue(payload, delayMs)))
      // The reconciler sends it again.
      .catch((error: unknown) => onError(error as Error));
    this.handedOver.add(handled);
    this.limitWorker();
    void handled.finally(() => {
      this.handedOver.delete(handled);
      this.limitWorker();
    });
    return true;
  }

  /** Returns in how many milliseconds the queue has to deliver the message; undefined when it is done. */
  private async handleHandedOver(payload: Payload, enclosed: unknown): Promise<number | undefined> {
    const { queue, contract, handler, metrics, onError } = this.options;
    const messageId = encodeMessageId(contract.id(payload) ?? crypto.randomUUID());
    faultPoint('queue.handed-over', messageId);
    const running: Running = { messageId, abort: new AbortController(), abandoned: Promise.withResolvers() };
    this.openDeliveries.add(running);
    const startedAt = performance.now();
    const dueAt = Date.now();
    let outcome: DeliveryOutcome['outcome'] = 'completed';
    try {
      const result = await traceDelivery(queue, handler, payload, {
        ...{ messageId, attempt: 1, isRedelivered: false, stalledCount: 0, isHandedOver: true, enclosed },
        enqueuedAt: dueAt,
        signal: running.abort.signal,
      });
      if (!result) return undefined;
      outcome = 'postponed';
      return Math.max(1, result.retryAt - Date.now());
    } catch (error) {
      outcome = running.abort.signal.aborted ? 'released' : 'retried';
      if (outcome === 'retried') onError(error instanceof Error ? error : new Error(describeError(error)));
      return outcome === 'released' ? 0 : computeJitteredBackoffMs(contract.backoff, 1);
    } finally {
      this.openDeliveries.delete(running);
      metrics.recordDelivery?.({
        ...{ queue, outcome, waitMs: 0, dueAt },
        runMs: Math.round(performance.now() - startedAt),
      });
    }
  }

  /** Lets the worker take as many messages as this process may handle besides those that were handed over. */
  private limitWorker(): void {
    if (this.worker) this.worker.concurrency = Math.max(1, this.concurrency - this.handedOver.size);
  }

  /** The BullMQ processor. Returns when the message has ended; throws one of BullMQ's control errors otherwise. */
  async deliver(job: Job<unknown, void, string>, token = ''): Promise<void> {
    const messageId: QueuedMessageId = job.id ?? '';
    // If an earlier handler for this message still runs here, its lock expired and BullMQ considered it dead.
    this.abortHandlers(messageId);
    const running: Running = { messageId, abort: new AbortController(), abandoned: Promise.withResolvers() };
    const startedAt = performance.now();
    const firstDelivery = !isRedelivered(job) && job.attemptsStarted <= 1;
    this.openDeliveries.add(running);
    faultPoint('queue.taken', messageId);
    let outcome: DeliveryOutcome['outcome'] = 'lost';
    try {
      const result = await this.awaitOutcome(job, running);
      outcome = result.outcome;
      faultPoint('queue.before-acknowledge', messageId);
      await this.acknowledge(job, token, result);
    } finally {
      this.openDeliveries.delete(running);
      const due = job.timestamp + (job.opts.delay ?? 0);
      // Both times are from the clock of the queue server.
      const waitMs = firstDelivery && job.processedOn ? Math.max(0, job.processedOn - due) : undefined;
      this.options.metrics.recordDelivery?.({
        queue: this.queue,
        outcome,
        waitMs,
        runMs: Math.round(performance.now() - startedAt),
        dueAt: due,
      });
    }
  }

  /**
   * Stops taking messages, aborts the handlers and waits for them. Handlers that still run shortly before `deadline` (by
   * `performance.now()`) are abandoned; their messages are delivered again when their locks expire.
   * @returns the ids of the abandoned messages, and whether the worker closed
   */
  async close(deadline: number): Promise<{ abandoned: string[]; closed: boolean }> {
    this.closing = true;
    for (const { abort } of this.openDeliveries) abort.abort(new QueueClosing());
    const closed = Promise.all([this.worker?.close(), ...this.handedOver]);
    const remainingMs = Math.max(0, deadline - performance.now());
    // A tenth of the time, at most 500 ms, is reserved for closing the worker itself.
    if (await completesWithin(remainingMs - Math.min(500, remainingMs / 10), closed))
      return { abandoned: [], closed: true };
    const abandoned = this.running;
    for (const running of this.openDeliveries) running.abandoned.resolve({ outcome: 'abandoned' });
    return { abandoned, closed: await completesWithin(deadline - performance.now(), closed) };
  }

  private abortHandlers(messageId: QueuedMessageId): void {
    for (const { messageId: id, abort } of this.openDeliveries) {
      if (id === messageId) abort.abort(new LockLost(this.queue, messageId));
    }
  }

  private async awaitOutcome(job: Job<unknown, void, string>, { abort, abandoned }: Running): Promise<DeliveryOutcome> {
    if (this.closing) return { outcome: 'released' };
    const handled = processDelivery({ ...this.options, job, signal: abort.signal }).then((result) =>
      result.outcome === 'dead-lettered' ? this.storeDeadLetter(job, result) : result,
    );
    return Promise.race([handled, abandoned.promise]);
  }

  /** Stores the dead letter before BullMQ removes the message. If that fails, the message is kept and delivered again. */
  private async storeDeadLetter(
    job: Job<unknown, void, string>,
    result: Extract<DeliveryOutcome, { outcome: 'dead-lettered' }>,
  ): Promise<DeliveryOutcome> {
    try {
      await this.options.onDeadLetter(result.deadLetter);
      return result;
    } catch (error) {
      this.options.onError(
        new Error(
          `The dead letter of message ${job.id} (${this.queue}) could not be stored. The message will be delivered again.`,
          { cause: error },
        ),
      );
      return {
        outcome: 'postponed',
        retryAt: Date.now() + this.options.deadLetterRetryMs,
        postponed: countPostponements(job),
      };
    }
  }

  private async acknowledge(job: Job<unknown, void, string>, token: string, result: DeliveryOutcome): Promise<void> {
    const { contract } = this.options;
    // Overrides the producer's options: a message is removed when it ends.
    Object.assign(job.opts, {
      removeOnComplete: true,
      removeOnFail: true,
      attempts: contract.attempts,
      stackTraceLimit: 1,
    });
    switch (result.outcome) {
      case 'completed':
        return;
      case 'postponed': {
        await this.tryMove(async () => {
          await job.updateProgress({ postponed: result.postponed });
          await job.moveToDelayed(result.retryAt, token);
        });
        throw new DelayedError();
      }
      case 'retried':
        job.opts.backoff = { type: 'fixed', delay: computeJitteredBackoffMs(contract.backoff, job.attemptsMade + 1) };
        throw toStoredError(result.error);
      case 'dead-lettered':
        throw new UnrecoverableError(result.deadLetter.reason);
      case 'released':
        await this.tryMove(() => job.moveToWait(token));
        throw new WaitingError();
      case 'lost':
      case 'abandoned':
        // The message stays active until its lock expires and another worker recovers it as stalled.
        throw new DelayedError();
    }
  }

  /** Moves the message. A failure is only reported: if it were thrown, BullMQ would count an attempt, and the last one removes the message. */
  private async tryMove(move: () => Promise<unknown>): Promise<void> {
    await move().catch((error: unknown) =>
      this.options.onError(error instanceof Error ? error : new Error(String(error))),
    );
  }
}

function toStoredError(thrown: unknown): Error {
  const error = new Error(describeError(thrown), { cause: thrown });
  // BullMQ stores the stack with the message. Stacks of chained errors can be very long.
  if (thrown instanceof Error && thrown.stack) error.stack = toWellFormedText(thrown.stack.slice(0, MAX_STACK_LENGTH));
  return error;
}
