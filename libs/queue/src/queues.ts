import { completesWithin } from '@phaseline/basics';
import type { Queue } from 'bullmq';
import { toConnectionLost } from './backends/connection-lost.js';
import type { QueueBackend, QueueDepth, SqlTransaction } from './backends/queue-backend.js';
import {
  deriveMessageId,
  queueNames,
  type Message,
  type Payloads,
  type ProcessId,
  type QueueName,
  type HandedOver,
  type Sender,
  type SendOptions,
  type MessageId,
  type QueuedMessageId,
} from '@phaseline/contracts';
import type { Catalogue, Contract } from './catalogue.js';
import { Consumer } from './consumer.js';
import type { DeadLetterSink } from './dead-letter.js';
import { HandOver } from './hand-over/hand-over.js';
import { Seal, type Sealing } from './hand-over/seal.js';
import type { Handler, QueueMetrics } from './handler.js';
import { encodeMessageId } from './message-id.js';
import { prepareMessage, type Prepared, type QueueSendOptions } from './prepare-message.js';
import type { QueuedMessage } from './queued-message.js';
import { QueueError, QueuesClosed, QueueUnavailable, TransactionsUnsupported } from './queue-errors.js';
import { traceSend } from './trace-messages.js';

/** One message for `sendMany` and `sendIn`. */
export type OutgoingMessage = Message & { readonly options?: QueueSendOptions };

export interface WorkOptions {
  /** Number of messages handled concurrently in this process. Defaults to the queue's policy in the catalogue. */
  readonly concurrency?: number;
}

/** This process's worker for one queue. */
export interface QueueWorker {
  readonly queue: QueueName;
  /** Ids of the messages whose handlers are running. */
  readonly running: readonly string[];
}

export interface CloseReport {
  /** Whether every handler ended and every connection closed before the deadline. */
  readonly clean: boolean;
  /** Messages whose handlers did not stop in time. They are delivered again when their locks expire. */
  readonly abandoned: readonly { readonly queue: QueueName; readonly messageId: QueuedMessageId }[];
}

/** Timings of locks and recovery. Only tests have a reason to change them. */
export interface QueueTuning {
  /** Time until the lock of a worker that stops renewing it expires. Must be the same in every process. Default 6,500: longer than an event loop may be blocked. */
  readonly lockMs?: number;
  /** Interval of the search for expired locks; recovery takes `lockMs` plus at most one interval. Must be the same in every process. Default 1,000. */
  readonly stalledCheckMs?: number;
  /** Wait before a message is delivered again whose dead letter could not be stored. Default 5,000. */
  readonly deadLetterRetryMs?: number;
}

export interface QueuesParts {
  readonly backend: QueueBackend;
  readonly catalogue: Catalogue;
  readonly onDeadLetter: DeadLetterSink;
  readonly onError: (error: Error) => void;
  readonly metrics: QueueMetrics;
  readonly tuning: QueueTuning;
  readonly startTimeoutMs: number;
  /** Name of this process. Without it, messages are not handed over: all pass through the queues. */
  readonly processId: ProcessId | undefined;
  /** What the processes share to seal what they enclose with messages. Without it, they enclose nothing. */
  readonly sealing: Sealing | undefined;
}

/** Number of single sends in flight when the backend has no cheap bulk insert. */
const MAX_CONCURRENT_SENDS = 8;

/** The queues of one backend: sends messages and runs handlers for them. Created by `createQueues`. */
export class Queues implements Sender {
  private readonly parts: QueuesParts;
  private readonly queues = new Map<QueueName, Queue>();
  private readonly consumers: Consumer<never>[] = [];
  private exchange: HandOver | undefined;
  private closing: Promise<CloseReport> | undefined;
  private paused = false;

  constructor(parts: QueuesParts) {
    this.parts = parts;
  }

  /** Whether `sendIn` works. Only the PostgreSQL backend can store a message in the caller's transaction. */
  get isTransactional(): boolean {
    return this.parts.backend.isTransactional;
  }

  get backend(): 'postgres' | 'redis' {
    return this.parts.backend.kind;
  }

  /** Queues whose messages this process handles, in the order of `queueNames`. */
  get served(): readonly QueueName[] {
    return queueNames.filter((name) => this.consumers.some(({ queue }) => queue === name));
  }

  /** Number of messages that this process handles now, and how many it may handle concurrently, over all its queues. */
  get load(): { readonly running: number; readonly concurrency: number } {
    return {
      running: this.consumers.reduce((sum, { running }) => sum + running.length, 0),
      concurrency: this.consumers.reduce((sum, { concurrency }) => sum + concurrency, 0),
    };
  }

  /** Connects, waiting at most `startTimeoutMs` for the server. `createQueues` calls it. */
  async open(): Promise<void> {
    const { backend, startTimeoutMs, onError } = this.parts;
    await backend.waitUntilReady(startTimeoutMs);
    for (const name of queueNames) {
      const queue = backend.createQueue(name);
      queue.on('error', ignoreOutages(onError));
      this.queues.set(name, queue);
    }
    await Promise.all([...this.queues.values()].map((queue) => queue.waitUntilReady()));
    const { processId, sealing } = this.parts;
    if (processId === undefined) return;
    const transport = backend.createTransport();
    this.exchange = new HandOver({
      ...{ transport, processId, onError: ignoreOutages(onError) },
      seal: sealing && new Seal(sealing, processId),
      take: (queue, payload, enclosed) => this.take(queue, payload, enclosed),
    });
    await this.exchange.open();
  }

  /**
   * Sends one message. Resolves when the message is stored, or when an unfinished message with the same id already exists.
   * @throws InvalidMessage | QueueUnavailable (the message may or may not be stored: send it again with the same id) | QueuesClosed
   */
  async send<Name extends QueueName>(
    queue: Name,
    payload: Payloads[Name],
    options: QueueSendOptions = {},
  ): Promise<void> {
    await traceSend(queue, payload, async (traced) => {
      const prepared = this.prepare(queue, traced, options);
      if (options.handOver && this.offer(prepared, options.handOver)) return;
      await this.wrapErrors(queue, () =>
        this.parts.catalogue[queue].durable
          ? this.parts.backend.runDurably(() => this.add(prepared))
          : this.add(prepared),
      );
    });
    this.parts.metrics.recordSent?.(queue, 1);
  }

  /**
   * Hands a message over together with what is not in the log yet. Returns false if it cannot be offered: its receiver is not known or not
   * free, what is enclosed is too long or cannot be sealed, or this process closes.
   * @throws InvalidMessage
   */
  async handOver<Name extends QueueName>(
    queue: Name,
    payload: Payloads[Name],
    { to, enclosed, otherwise }: HandedOver,
  ): Promise<boolean> {
    // What its sender holds must not be lost while this process closes.
    if (this.closing) return false;
    let isOffered = false;
    await traceSend(queue, payload, async (traced) => {
      const { data } = this.prepare(queue, traced, {});
      isOffered = this.exchange?.offer({ queue, payload: data, to, enclosed, needsEnclosed: true, otherwise }) ?? false;
    });
    if (isOffered) this.parts.metrics.recordSent?.(queue, 1);
    return isOffered;
  }

  /** Sends messages to any queues, in no particular order. If one is invalid, none is sent; after an outage, some may have been sent. */
  async sendMany(messages: readonly OutgoingMessage[]): Promise<void> {
    const prepared = messages.map(({ queue, payload, options }) => this.prepare(queue, payload, options ?? {}));
    const { backend, catalogue, metrics } = this.parts;
    for (const [name, group] of Map.groupBy(prepared, ({ queue }) => queue)) {
      await this.wrapErrors(name, async () => {
        if (backend.hasCheapBulk)
          await this.queue(name).addBulk(
            group.map(({ queue, data, opts }) => ({ name: queue, data, opts: this.withTimestamp(opts) })),
          );
        else if (catalogue[name].durable) await backend.runDurably(() => this.addInOrder(group));
        else
          for (let at = 0; at < group.length; at += MAX_CONCURRENT_SENDS)
            await Promise.all(group.slice(at, at + MAX_CONCURRENT_SENDS).map((message) => this.add(message)));
      });
      metrics.recordSent?.(name, group.length);
    }
  }

  /**
   * Sends messages inside the caller's PostgreSQL transaction. They become visible and wake the workers when it commits, and are
   * discarded when it rolls back. The transaction may have any search_path. Await this before the commit. Each message costs one
   * round trip. PostgreSQL serialises all commits of a server that send a notification.
   *
   * With Kysely: `queues.sendIn({ query: (text, values) => trx.executeQuery(CompiledQuery.raw(text, values)) }, messages)`.
   *
   * @throws InvalidMessage | TransactionsUnsupported. Errors of the transaction itself are passed on unchanged; the transaction is then aborted.
   */
  async sendIn(transaction: SqlTransaction, messages: readonly OutgoingMessage[]): Promise<void> {
    if (!this.isTransactional) throw new TransactionsUnsupported();
    const prepared = messages.map(({ queue, payload, options }) => this.prepare(queue, payload, options ?? {}));
    await this.parts.backend.runInTransaction(transaction, () => this.addInOrder(prepared));
    for (const { queue } of prepared) this.parts.metrics.recordSent?.(queue, 1);
  }

  /**
   * Runs `handler` for the messages of a queue until `close`. Call it at most once per queue and process.
   * @throws QueueUnavailable | QueuePoolTooSmall | QueuesClosed
   */
  async work<Name extends QueueName>(
    queue: Name,
    handler: Handler<Payloads[Name]>,
    options: WorkOptions = {},
  ): Promise<QueueWorker> {
    this.assertOpen();
    const { backend, catalogue, tuning, onDeadLetter, onError, metrics, startTimeoutMs } = this.parts;
    const contract: Contract<Payloads[Name]> = catalogue[queue];
    const deadLetterRetryMs = tuning.deadLetterRetryMs ?? 5_000;
    const concurrency = options.concurrency ?? contract.concurrency;
    const consumer = new Consumer<Payloads[Name]>({
      queue,
      contract,
      handler,
      onDeadLetter,
      onError,
      metrics,
      deadLetterRetryMs,
      concurrency,
    });
    await backend.waitUntilReady(startTimeoutMs);
    const worker = backend.createWorker(
      queue,
      (job, token) => consumer.deliver(job, token),
      {
        concurrency,
        ...(tuning.lockMs === undefined ? {} : { lockDuration: tuning.lockMs, lockRenewTime: tuning.lockMs / 5 }),
        ...(tuning.stalledCheckMs === undefined ? {} : { stalledInterval: tuning.stalledCheckMs }),
      },
      contract.bounds,
    );
    worker.on('error', ignoreOutages(onError));
    try {
      await worker.waitUntilReady();
    } catch (error) {
      await worker.close(true);
      throw new QueueUnavailable(backend.kind, `starting a worker for ${queue}`, error);
    }
    if (this.closing) {
      await worker.close(true);
      throw new QueuesClosed();
    }
    if (this.paused) void worker.pause(true);
    consumer.attach(worker);
    // The list contains consumers of all payload types, because it is only used to close them.
    this.consumers.push(consumer as unknown as Consumer<never>);
    this.exchange?.serve(queue);
    return consumer;
  }

  /** Message counts of every queue, always in the order of `queueNames`. */
  async readDepths(): Promise<Record<QueueName, QueueDepth>> {
    this.assertOpen();
    const depths = await this.wrapErrors('queues', () => this.parts.backend.readDepths(queueNames));
    // The database returns its rows in any order.
    return Object.fromEntries(queueNames.map((name) => [name, depths.get(name)])) as Record<QueueName, QueueDepth>;
  }

  /** Counts the waiting and active messages of a queue that became due within the last `withinMs` milliseconds. */
  async countRecent(queue: QueueName, withinMs: number): Promise<number> {
    this.assertOpen();
    return this.wrapErrors(queue, () => this.parts.backend.countRecent(queue, Math.round(withinMs)));
  }

  /** Throws when the queue server does not respond. Skips the query if the server answered a worker's search within the last seconds. */
  async check(): Promise<void> {
    if (this.parts.backend.hasAnsweredRecently?.()) return this.assertOpen();
    await this.readDepths();
  }

  /** Whether a message with this id is waiting, delayed or active. A message whose lock expired 30 s ago or earlier is not active. */
  async has(queue: QueueName, id: MessageId): Promise<boolean> {
    this.assertOpen();
    return this.wrapErrors(queue, () => this.parts.backend.has(queue, encodeMessageId(id)));
  }

  /**
   * Makes messages of all queues available again whose locks expired at least 30 s ago, and returns their number. Workers find such
   * messages within seconds; this covers the case that no worker is searching.
   */
  async recoverStalled(): Promise<number> {
    this.assertOpen();
    return this.wrapErrors('queues', () => this.parts.backend.recoverStalled(queueNames));
  }

  /**
   * Stops taking messages from all queues; running handlers continue. Used when this process is temporarily unable to do its work
   * correctly, for example because its clock is wrong.
   */
  pause(): void {
    this.paused = true;
    for (const consumer of this.consumers) consumer.pause();
  }

  /** Takes messages again after `pause`. */
  resume(): void {
    this.paused = false;
    for (const consumer of this.consumers) consumer.resume();
  }

  /** The oldest unfinished messages, at most `limit` in each of the states waiting, active and delayed. For operators and their tools. */
  async listMessages(queue: QueueName, limit = 1_000): Promise<QueuedMessage[]> {
    this.assertOpen();
    return this.wrapErrors(queue, () => this.parts.backend.listMessages(queue, limit));
  }

  /** Removes a message unless it is active. Returns whether it was removed. `messageId` is an id as returned by `messages`. */
  async discard(queue: QueueName, messageId: QueuedMessageId): Promise<boolean> {
    this.assertOpen();
    return this.wrapErrors(queue, async () => {
      const state = await this.queue(queue).getJobState(messageId);
      if (state === 'unknown' || state === 'active') return false;
      return (await this.queue(queue).remove(messageId)) > 0;
    });
  }

  /** Removes the timer with this payload, unless it is active. Returns whether it was removed. */
  withdraw(queue: 'timers', payload: Payloads['timers']): Promise<boolean> {
    return this.discard(queue, encodeMessageId(deriveMessageId(queue, payload)));
  }

  /**
   * Stops within `timeoutMs`, even if handlers hang: takes no more messages, aborts the handlers' signals, waits for the handlers,
   * then closes the queues and the connections. A handler that returns in time acknowledges its message; if it throws because of
   * the signal, another process receives the message immediately. Later calls return the report of the first.
   */
  close(timeoutMs: number): Promise<CloseReport> {
    this.closing ??= this.closeOnce(performance.now() + timeoutMs);
    return this.closing;
  }

  private async closeOnce(deadline: number): Promise<CloseReport> {
    // The last tenth, at most 500 ms, is reserved for closing the connections.
    const reserveMs = Math.min(500, (deadline - performance.now()) / 10);
    await completesWithin(reserveMs, this.exchange?.close() ?? Promise.resolve());
    const closed = await Promise.all(
      this.consumers.map(async (consumer) => ({
        queue: consumer.queue,
        ...(await consumer.close(deadline - reserveMs)),
      })),
    );
    const disconnected = completesWithin(deadline - performance.now(), this.disconnect());
    return {
      clean: (await disconnected) && closed.every((report) => report.closed && report.abandoned.length === 0),
      abandoned: closed.flatMap(({ queue, abandoned }) => abandoned.map((messageId) => ({ queue, messageId }))),
    };
  }

  private async disconnect(): Promise<void> {
    try {
      await Promise.all([...this.queues.values()].map((queue) => queue.close()));
      await this.parts.backend.close();
    } catch (error) {
      this.parts.onError(new Error('Closing the queue connections failed.', { cause: error }));
    }
  }

  private prepare<Name extends QueueName>(queue: Name, payload: Payloads[Name], options: QueueSendOptions): Prepared {
    this.assertOpen();
    return prepareMessage(queue, this.parts.catalogue[queue], payload, options);
  }

  /** Offers a message to other processes. Returns whether it need not be put into its queue now. */
  private offer(prepared: Prepared, { to, enclosed }: NonNullable<SendOptions['handOver']>): boolean {
    const { queue, data, opts } = prepared;
    if (opts.delay !== undefined) return false;
    const otherwise = (): Promise<void> => this.wrapErrors(queue, () => this.add(prepared));
    return this.exchange?.offer({ queue, payload: data, to, enclosed, otherwise }) ?? false;
  }

  /** Takes a message that another process hands over, if this one serves its queue and is free. */
  private take(queue: QueueName, data: unknown, enclosed: unknown): boolean {
    const consumer = this.consumers.find((one) => one.queue === queue);
    if (!consumer || this.closing) return false;
    // Also while closing: what a handler left is for others.
    return consumer.take(data, enclosed, (payload, delayMs) =>
      this.add(prepareMessage(queue, this.parts.catalogue[queue] as Contract<unknown>, payload, { delayMs })),
    );
  }

  private async add({ queue, data, opts }: Prepared): Promise<void> {
    await this.queue(queue).add(queue, data, this.withTimestamp(opts));
  }

  private async addInOrder(messages: readonly Prepared[]): Promise<void> {
    for (const message of messages) await this.add(message);
  }

  /** On PostgreSQL the database sets the time of a message; on Redis the sender must pass the server's time. */
  private withTimestamp(opts: Prepared['opts']): Prepared['opts'] {
    const timestamp = this.parts.backend.now?.();
    return timestamp === undefined ? opts : { ...opts, timestamp };
  }

  private queue(name: QueueName): Queue {
    const queue = this.queues.get(name);
    if (queue === undefined) throw new QueuesClosed();
    return queue;
  }

  private assertOpen(): void {
    if (this.closing) throw new QueuesClosed();
  }

  private async wrapErrors<T>(queue: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof QueueError) throw error;
      throw new QueueUnavailable(this.parts.backend.kind, `reaching ${queue}`, error);
    }
  }
}

/** Ignores connection errors: the backend reports an outage once, while each queue and worker notices it many times. */
function ignoreOutages(onError: (error: Error) => void): (error: Error) => void {
  return (error) => {
    if (!toConnectionLost(error)) onError(error);
  };
}
