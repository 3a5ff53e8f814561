import type { Queue } from 'bullmq';
import { asConnectionLost } from './backends/connection-lost.js';
import type { QueueBackend, QueueDepth, SqlTransaction } from './backends/queue-backend.js';
import { queueNames } from './catalogue.js';
import type { Catalogue, Payloads, QueueName } from './catalogue.js';
import { Consumer } from './consumer.js';
import type { DeadLetterSink } from './dead-letter.js';
import type { Handler, QueueMetrics } from './handler.js';
import { endsWithin } from './ends-within.js';
import { encodeMessageId } from './message-id.js';
import { prepareMessage } from './prepare-message.js';
import type { Prepared, SendOptions } from './prepare-message.js';
import type { QueuedMessage } from './queued-message.js';
import {
  JobsContractMissing,
  QueueError,
  QueuesClosed,
  QueueUnavailable,
  TransactionsUnsupported,
} from './queue-errors.js';

/** One message for `sendMany` and `sendIn`. */
export type Message<Job> = {
  readonly [Name in QueueName]: {
    readonly queue: Name;
    readonly payload: Payloads<Job>[Name];
    readonly options?: SendOptions;
  };
}[QueueName];

export interface WorkOptions {
  /** Messages handled side by side in this process; the catalogue's figure by default. */
  readonly concurrency?: number;
}

/** A queue that this process works on. */
export interface QueueWorker {
  readonly queue: QueueName;
  /** Ids of the messages whose handlers run now. */
  readonly running: readonly string[];
}

export interface CloseReport {
  /** Whether every handler had ended and every connection was closed in time. */
  readonly clean: boolean;
  /** Messages whose handlers would not stop. They are delivered again when their locks have run out. */
  readonly abandoned: readonly { readonly queue: QueueName; readonly messageId: string }[];
}

/** Times of the machinery; only tests have a reason to change them. */
export interface QueueTuning {
  /** How long a message stays with a worker that gives no sign of life. The same in every process. Default 6,500: longer than an event loop may be blocked. */
  readonly lockMs?: number;
  /** How often vanished workers are looked for; recovery takes the lock time and at most one of these. The same in every process. Default 1,000. */
  readonly stalledCheckMs?: number;
  /** Default 5,000. */
  readonly deadLetterRetryMs?: number;
}

export interface QueuesParts<Job> {
  readonly backend: QueueBackend;
  readonly catalogue: Catalogue<Job>;
  readonly hasJobsContract: boolean;
  readonly onDeadLetter: DeadLetterSink;
  readonly onError: (error: Error) => void;
  readonly metrics: QueueMetrics;
  readonly tuning: QueueTuning;
  readonly startTimeoutMs: number;
}

/** So many single sends run side by side where the backend has no cheap bulk. */
const sendsAtOnce = 8;

/** Typed sending and receiving over one backend. Made by `createQueues`. */
export class Queues<Job = never> {
  readonly #parts: QueuesParts<Job>;
  readonly #queues = new Map<QueueName, Queue>();
  readonly #consumers: Consumer<never>[] = [];
  #closing: Promise<CloseReport> | undefined;
  #paused = false;

  constructor(parts: QueuesParts<Job>) {
    this.#parts = parts;
  }

  /** Whether `sendIn` works: only PostgreSQL can store a message in the transaction that makes it due. */
  get transactional(): boolean {
    return this.#parts.backend.transactional;
  }

  get backend(): 'postgres' | 'redis' {
    return this.#parts.backend.kind;
  }

  /** Connects, waiting at most `startTimeoutMs` for the server. `createQueues` has done it. */
  async open(): Promise<void> {
    const { backend, startTimeoutMs, onError } = this.#parts;
    await backend.ready(startTimeoutMs);
    for (const name of queueNames) {
      const queue = backend.queue(name);
      queue.on('error', exceptOutages(onError));
      this.#queues.set(name, queue);
    }
    await Promise.all([...this.#queues.values()].map((queue) => queue.waitUntilReady()));
  }

  /**
   * Sends one message. Returns when the queue has it, or has a message with the same id that did not end yet.
   * @throws InvalidMessage | QueueUnavailable (then it may have been stored or not: send it again under the same id) | QueuesClosed
   */
  async send<Name extends QueueName>(
    queue: Name,
    payload: Payloads<Job>[Name],
    options: SendOptions = {},
  ): Promise<void> {
    const prepared = this.#prepare(queue, payload, options);
    await this.#reach(queue, () =>
      this.#parts.catalogue[queue].durable
        ? this.#parts.backend.durably(() => this.#add(prepared))
        : this.#add(prepared),
    );
    this.#parts.metrics.sent?.(queue, 1);
  }

  /** Sends several, of any queues, in no particular order. Nothing is sent when one of them is invalid; an outage may leave some sent. */
  async sendMany(messages: readonly Message<Job>[]): Promise<void> {
    const prepared = messages.map(({ queue, payload, options }) => this.#prepare(queue, payload, options ?? {}));
    const { backend, catalogue, metrics } = this.#parts;
    for (const [name, group] of Map.groupBy(prepared, ({ queue }) => queue)) {
      await this.#reach(name, async () => {
        if (backend.bulk)
          await this.#queue(name).addBulk(
            group.map(({ queue, data, opts }) => ({ name: queue, data, opts: this.#timed(opts) })),
          );
        else if (catalogue[name].durable) await backend.durably(() => this.#addInOrder(group));
        else
          for (let at = 0; at < group.length; at += sendsAtOnce)
            await Promise.all(group.slice(at, at + sendsAtOnce).map((one) => this.#add(one)));
      });
      metrics.sent?.(name, group.length);
    }
  }

  /**
   * Sends messages inside the caller's PostgreSQL transaction: they appear with its commit, which wakes the workers, and vanish
   * with its rollback. The transaction may have any search_path. Await this before the commit. Each message costs a round trip;
   * note that a commit which notifies is serialised with all other such commits of the server.
   *
   * With Kysely: `queues.sendIn({ query: (text, values) => trx.executeQuery(CompiledQuery.raw(text, values)) }, messages)`.
   *
   * @throws InvalidMessage | TransactionsUnsupported; errors of the transaction come as they are, and have ended it
   */
  async sendIn(transaction: SqlTransaction, messages: readonly Message<Job>[]): Promise<void> {
    if (!this.transactional) throw new TransactionsUnsupported();
    const prepared = messages.map(({ queue, payload, options }) => this.#prepare(queue, payload, options ?? {}));
    await this.#parts.backend.inside(transaction, () => this.#addInOrder(prepared));
    for (const { queue } of prepared) this.#parts.metrics.sent?.(queue, 1);
  }

  /**
   * Works on a queue until `close`. One call a queue and process.
   * @throws QueueUnavailable | QueuePoolTooSmall | JobsContractMissing | QueuesClosed
   */
  async work<Name extends QueueName>(
    queue: Name,
    handler: Handler<Payloads<Job>[Name]>,
    options: WorkOptions = {},
  ): Promise<QueueWorker> {
    this.#assertUsable(queue);
    const { backend, catalogue, tuning, onDeadLetter, onError, metrics, startTimeoutMs } = this.#parts;
    const contract = catalogue[queue];
    const deadLetterRetryMs = tuning.deadLetterRetryMs ?? 5_000;
    const consumer = new Consumer<Payloads<Job>[Name]>({
      queue,
      contract,
      handler,
      onDeadLetter,
      onError,
      metrics,
      deadLetterRetryMs,
    });
    await backend.ready(startTimeoutMs);
    const worker = backend.worker(
      queue,
      (job, token) => consumer.deliver(job, token),
      {
        concurrency: options.concurrency ?? contract.concurrency,
        ...(tuning.lockMs === undefined ? {} : { lockDuration: tuning.lockMs, lockRenewTime: tuning.lockMs / 5 }),
        ...(tuning.stalledCheckMs === undefined ? {} : { stalledInterval: tuning.stalledCheckMs }),
      },
      contract.bounds,
    );
    worker.on('error', exceptOutages(onError));
    try {
      await worker.waitUntilReady();
    } catch (error) {
      await worker.close(true);
      throw new QueueUnavailable(backend.kind, `starting a worker for ${queue}`, error);
    }
    if (this.#closing) {
      await worker.close(true);
      throw new QueuesClosed();
    }
    if (this.#paused) void worker.pause(true);
    consumer.attach(worker);
    this.#consumers.push(consumer as unknown as Consumer<never>);
    return consumer;
  }

  /** How much waits and runs, for every queue, always in the same order. */
  async depths(): Promise<Record<QueueName, QueueDepth>> {
    this.#assertOpen();
    const depths = await this.#reach('queues', () => this.#parts.backend.depths(queueNames));
    // A database returns its rows in any order.
    return Object.fromEntries(queueNames.map((name) => [name, depths.get(name)])) as Record<QueueName, QueueDepth>;
  }

  /** Throws when the server of the queues does not answer. One that answered a worker's search lately is not asked. */
  async check(): Promise<void> {
    if (this.#parts.backend.answeredLately?.()) return this.#assertOpen();
    await this.depths();
  }

  /** Whether a message with this id waits, is delayed or runs. One whose lock has been over for half a minute does not run. */
  async has(queue: QueueName, id: string): Promise<boolean> {
    this.#assertOpen();
    return this.#reach(queue, () => this.#parts.backend.has(queue, encodeMessageId(id)));
  }

  /**
   * Makes messages available again that no worker has given a sign of life for in half a minute, of all queues. Workers find such
   * messages within seconds; this is for the case that nothing looks for them. Returns how many.
   */
  async takeBackLost(): Promise<number> {
    this.#assertOpen();
    return this.#reach('queues', () => this.#parts.backend.takeBackLost(queueNames));
  }

  /**
   * Stops taking messages, of all queues that this process works on; handlers that run go on. For a process that cannot be
   * trusted at the moment.
   */
  pause(): void {
    this.#paused = true;
    for (const consumer of this.#consumers) consumer.pause();
  }

  /** Takes messages again. */
  resume(): void {
    this.#paused = false;
    for (const consumer of this.#consumers) consumer.resume();
  }

  /** Messages that have not ended: the oldest so many that wait, are handled and are delayed. For people and their tools. */
  async messages(queue: QueueName, limit = 1_000): Promise<QueuedMessage[]> {
    this.#assertOpen();
    return this.#reach(queue, () => this.#parts.backend.messages(queue, limit));
  }

  /**
   * Takes a message out that nobody handles at the moment. Returns whether there was one. `messageId` is that of `messages`.
   */
  async discard(queue: QueueName, messageId: string): Promise<boolean> {
    this.#assertOpen();
    return this.#reach(queue, async () => {
      const state = await this.#queue(queue).getJobState(messageId);
      if (state === 'unknown' || state === 'active') return false;
      return (await this.#queue(queue).remove(messageId)) > 0;
    });
  }

  /** Removes the message that was sent with this id, unless it is being handled. Returns whether there was one. */
  withdraw(queue: QueueName, id: string): Promise<boolean> {
    return this.discard(queue, encodeMessageId(id));
  }

  /**
   * Stops within `timeoutMs`, whatever handlers do: takes no more messages, fires the signals, waits for the handlers, then
   * closes the queues and the connections. A handler that ends in time ends its message as usual; one that throws because of the
   * signal has its message delivered again at once, elsewhere. Later calls return the first one's report.
   */
  close(timeoutMs: number): Promise<CloseReport> {
    this.#closing ??= this.#close(performance.now() + timeoutMs);
    return this.#closing;
  }

  async #close(deadline: number): Promise<CloseReport> {
    // The last tenth, at most half a second, is for the connections.
    const reserve = Math.min(500, (deadline - performance.now()) / 10);
    const closed = await Promise.all(
      this.#consumers.map(async (consumer) => ({
        queue: consumer.queue,
        ...(await consumer.close(deadline - reserve)),
      })),
    );
    const disconnected = endsWithin(deadline - performance.now(), this.#disconnect());
    return {
      clean: (await disconnected) && closed.every((report) => report.closed && report.abandoned.length === 0),
      abandoned: closed.flatMap(({ queue, abandoned }) => abandoned.map((messageId) => ({ queue, messageId }))),
    };
  }

  async #disconnect(): Promise<void> {
    try {
      await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
      await this.#parts.backend.close();
    } catch (error) {
      this.#parts.onError(new Error('The connections of the queues did not close in order.', { cause: error }));
    }
  }

  #prepare<Name extends QueueName>(queue: Name, payload: Payloads<Job>[Name], options: SendOptions): Prepared {
    this.#assertUsable(queue);
    return prepareMessage(queue, this.#parts.catalogue[queue], payload, options);
  }

  async #add({ queue, data, opts }: Prepared): Promise<void> {
    await this.#queue(queue).add(queue, data, this.#timed(opts));
  }

  async #addInOrder(messages: readonly Prepared[]): Promise<void> {
    for (const message of messages) await this.#add(message);
  }

  /** PostgreSQL puts its own time in the place of ours; Redis has to be told its time. */
  #timed(opts: Prepared['opts']): Prepared['opts'] {
    const timestamp = this.#parts.backend.now?.();
    return timestamp === undefined ? opts : { ...opts, timestamp };
  }

  #queue(name: QueueName): Queue {
    const queue = this.#queues.get(name);
    if (queue === undefined) throw new QueuesClosed();
    return queue;
  }

  #assertOpen(): void {
    if (this.#closing) throw new QueuesClosed();
  }

  #assertUsable(queue: QueueName): void {
    this.#assertOpen();
    if (queue === 'jobs' && !this.#parts.hasJobsContract) throw new JobsContractMissing();
  }

  async #reach<T>(queue: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof QueueError) throw error;
      throw new QueueUnavailable(this.#parts.backend.kind, `reaching ${queue}`, error);
    }
  }
}

/** An outage is reported once, by the backend. Each queue and worker notices it too, many times. */
function exceptOutages(onError: (error: Error) => void): (error: Error) => void {
  return (error) => {
    if (!asConnectionLost(error)) onError(error);
  };
}
