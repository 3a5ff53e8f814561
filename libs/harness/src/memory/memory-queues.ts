import type { MessageId, ProcessId } from '@phaseline/contracts';

/** Clock and timers of the queues. */
export interface QueueTime {
  now(): number;
  after(ms: number, run: () => void): void;
}

/** Consumer of one queue. */
export interface QueueWorker {
  /** Name of its process, to which messages can be handed over. */
  readonly processId?: ProcessId;
  readonly concurrency: number;
  /** Whether it accepts messages now. */
  acceptsMessages(): boolean;
  /** Since when it has given no sign of life; undefined while it does. */
  silentSince(): number | undefined;
  /** Offset of its process's clock from the queues' clock, in milliseconds; 0 if omitted. */
  clockAheadMs?(): number;
  deliver(delivery: Delivery): void;
}

export interface SendOptions {
  readonly id: MessageId;
  readonly delayMs?: number;
  /** Messages without a priority go first, then 1, 2, 3… */
  readonly priority?: number;
  /** Offset of the sender's clock from the queues' clock, in milliseconds. */
  readonly clockAheadMs?: number;
}

export type Payload = Readonly<Record<string, unknown>>;

/** Outcome of a delivery. */
export type DeliveryOutcome =
  | { readonly outcome: 'completed' | 'released' | 'dead-lettered' }
  | { readonly outcome: 'postponed'; readonly retryAt: number }
  | { readonly outcome: 'retried'; readonly delayMs: number };

export interface Delivery {
  readonly queue: string;
  readonly id: MessageId;
  readonly payload: Payload;
  /** What the sender enclosed, if it handed the message over. */
  readonly enclosed?: unknown;
  /** 1 for the first run; only failed runs increase it. */
  readonly attempt: number;
  /** Number of workers that vanished while they processed this message. */
  readonly vanished: number;
  readonly isRedelivered: boolean;
  /** Reports the outcome. Ignored if the message has been delivered to another worker in the meantime. */
  reportOutcome(deliveryOutcome: DeliveryOutcome): void;
  /** Called if the outcome could not be reported: the message is delivered again once its lock expires. */
  abandon(): void;
  /** Called when the message is taken from a worker that gave no sign of life. */
  onLost: (() => void) | undefined;
}

interface Message {
  readonly queue: string;
  readonly id: MessageId;
  readonly payload: Payload;
  readonly priority: number;
  /** Set if it was handed over: the options with which it is put into its queue unless it is completed. It is lost with its worker. */
  readonly handedOver?: SendOptions;
  readonly enclosed?: unknown;
  order: number;
  state: 'waiting' | 'delayed' | 'active';
  failures: number;
  vanished: number;
  stalled: boolean;
  abandonedAt?: number | undefined;
  holder?: { readonly worker: QueueWorker; readonly delivery: Delivery } | undefined;
}

const LOCK_MS = 6_000;
const STALLED_CHECK_MS = 2_000;

export interface MemoryQueuesOptions {
  /** Chooses among the messages that may go next; the first one if omitted. */
  readonly pick?: (queue: string, ready: readonly { readonly id: MessageId }[]) => number;
  /** If false, a second message with the same id is accepted, to show that nothing depends on deduplication. */
  readonly dedupe?: boolean;
  /** If false, a message whose worker vanished is lost. */
  readonly redelivery?: boolean;
  /** 'caller' uses the clock of each caller, as BullMQ does by default, to show the consequences. */
  readonly times?: 'server' | 'caller';
}

/**
 * In-memory queues: at most one message per id while it waits, is delayed or runs; delivery at least once; priorities; postponing.
 * The contract suite in this folder runs on these queues and on the real ones.
 */
export class MemoryQueues {
  deadLetterCount = 0;
  private readonly messages = new Map<string, Message>();
  private readonly workers = new Map<string, QueueWorker[]>();
  private readonly active = new Map<QueueWorker, number>();
  private order = 0;
  private turn = 0;
  /** When vanished workers were last searched for, on the clock of the searching process. */
  private searchedAt = -Infinity;

  constructor(
    private readonly time: QueueTime,
    private readonly options: MemoryQueuesOptions = {},
  ) {
    this.scheduleStalledCheck();
  }

  send(queue: string, payload: Payload, { id, delayMs = 0, priority = 0, clockAheadMs = 0 }: SendOptions): void {
    let key = `${queue}/${id}`;
    if (this.messages.has(key)) {
      if (this.options.dedupe !== false) return;
      key = `${key}~${(this.order += 1)}`;
    }
    const message: Message = {
      queue,
      id: key.slice(queue.length + 1),
      payload,
      priority,
      order: (this.order += 1),
      state: 'waiting',
      failures: 0,
      vanished: 0,
      stalled: false,
    };
    this.messages.set(key, message);
    if (delayMs > 0) this.delay(message, delayMs + (this.options.times === 'caller' ? clockAheadMs : 0));
    else this.deliverReady(queue);
  }

  /** Gives a message to `to`, or to any worker, without storing it. Returns false if that worker is not free. */
  handOver(
    queue: string,
    payload: Payload,
    options: SendOptions,
    { to, enclosed }: { readonly to?: ProcessId | undefined; readonly enclosed?: unknown },
  ): boolean {
    const worker = this.freeWorker(queue, to);
    if (!worker) return false;
    const id = `${options.id}~${(this.order += 1)}`;
    const message: Message = {
      ...{ queue, id, payload, priority: 0, order: this.order, state: 'active', handedOver: options },
      // As JSON, as between real processes.
      ...{ failures: 0, vanished: 0, stalled: false, enclosed: enclosed && JSON.parse(JSON.stringify(enclosed)) },
    };
    this.messages.set(`${queue}/${id}`, message);
    this.deliver(message, worker);
    return true;
  }

  addWorker(queue: string, worker: QueueWorker): void {
    this.workers.set(queue, [...(this.workers.get(queue) ?? []), worker]);
    this.deliverReady(queue);
  }

  /** Removes a worker. Its messages go to others once it has been silent for the duration of a lock. */
  removeWorker(queue: string, worker: QueueWorker): void {
    this.workers.set(queue, this.workers.get(queue)?.filter((other) => other !== worker) ?? []);
  }

  /** Deletes all messages without notice. */
  flush(): void {
    this.messages.clear();
    this.active.clear();
  }

  /** Number of messages that wait, are delayed or run. */
  get size(): number {
    return this.messages.size;
  }

  /** Delivers as many messages as possible. Called internally after every change; a worker calls it when it wakes up. */
  deliverReady(queue: string): void {
    for (;;) {
      const worker = this.freeWorker(queue);
      if (!worker) return;
      const ready = this.ready(queue);
      if (ready.length === 0) return;
      this.deliver(ready[this.options.pick?.(queue, ready) ?? 0]!, worker);
    }
  }

  private deliver(message: Message, worker: QueueWorker): void {
    const delivery: Delivery = {
      queue: message.queue,
      id: message.id,
      payload: message.payload,
      enclosed: message.enclosed,
      attempt: message.failures + 1,
      vanished: message.vanished,
      isRedelivered: message.stalled,
      reportOutcome: (deliveryOutcome) => this.settle(message, delivery, deliveryOutcome),
      abandon: () => {
        if (message.holder?.delivery === delivery) message.abandonedAt = this.time.now();
      },
      onLost: undefined,
    };
    message.state = 'active';
    message.holder = { worker, delivery };
    this.active.set(worker, (this.active.get(worker) ?? 0) + 1);
    worker.deliver(delivery);
  }

  private settle(message: Message, delivery: Delivery, deliveryOutcome: DeliveryOutcome): void {
    if (message.holder?.delivery !== delivery || !this.messages.has(`${message.queue}/${message.id}`)) return;
    this.release(message);
    if (message.handedOver) return this.enqueueUnlessDone(message, message.handedOver, deliveryOutcome);
    if (deliveryOutcome.outcome === 'completed' || deliveryOutcome.outcome === 'dead-lettered') {
      if (deliveryOutcome.outcome === 'dead-lettered') this.deadLetterCount += 1;
      this.messages.delete(`${message.queue}/${message.id}`);
    } else if (deliveryOutcome.outcome === 'postponed') {
      this.delay(message, deliveryOutcome.retryAt - this.time.now());
    } else if (deliveryOutcome.outcome === 'retried') {
      message.failures += 1;
      message.stalled = true;
      this.delay(message, deliveryOutcome.delayMs);
    } else {
      message.stalled = true;
      message.state = 'waiting';
    }
    this.deliverReady(message.queue);
  }

  private enqueueUnlessDone(message: Message, options: SendOptions, deliveryOutcome: DeliveryOutcome): void {
    this.messages.delete(`${message.queue}/${message.id}`);
    const { outcome } = deliveryOutcome;
    if (outcome === 'postponed')
      this.send(message.queue, message.payload, { ...options, delayMs: deliveryOutcome.retryAt - this.time.now() });
    else if (outcome === 'retried')
      this.send(message.queue, message.payload, { ...options, delayMs: deliveryOutcome.delayMs });
    else if (outcome === 'released') this.send(message.queue, message.payload, options);
    this.deliverReady(message.queue);
  }

  private delay(message: Message, ms: number): void {
    message.state = 'delayed';
    this.time.after(Math.max(1, ms), () => {
      if (message.state !== 'delayed') return;
      message.state = 'waiting';
      message.order = this.order += 1;
      this.deliverReady(message.queue);
    });
  }

  private release(message: Message): void {
    const { worker } = message.holder!;
    message.holder = undefined;
    message.abandonedAt = undefined;
    this.active.set(worker, Math.max(0, (this.active.get(worker) ?? 0) - 1));
  }

  /** Periodically requeues the messages of workers that have been silent for the duration of a lock. */
  private scheduleStalledCheck(): void {
    this.time.after(STALLED_CHECK_MS, () => {
      if (this.options.times === 'caller' && !this.mayCallerSearch()) return this.scheduleStalledCheck();
      for (const message of this.messages.values()) {
        const silent = message.abandonedAt ?? message.holder?.worker.silentSince();
        if (message.state !== 'active' || silent === undefined || this.time.now() - silent < LOCK_MS) continue;
        message.holder?.delivery.onLost?.();
        this.release(message);
        if (this.options.redelivery === false || message.handedOver) {
          this.messages.delete(`${message.queue}/${message.id}`);
          continue;
        }
        message.vanished += 1;
        message.stalled = true;
        message.state = 'waiting';
      }
      for (const queue of this.workers.keys()) this.deliverReady(queue);
      this.scheduleStalledCheck();
    });
  }

  /** Makes one of the workers search if, on its clock, the last search is long enough ago. */
  private mayCallerSearch(): boolean {
    const workers = [...this.workers.values()].flat().filter((worker) => worker.acceptsMessages());
    const searcher = workers[(this.turn += 1) % Math.max(1, workers.length)];
    const now = this.time.now() + (searcher?.clockAheadMs?.() ?? 0);
    if (!searcher || now < this.searchedAt + STALLED_CHECK_MS - 1) return false;
    this.searchedAt = now;
    return true;
  }

  private freeWorker(queue: string, processId?: ProcessId): QueueWorker | undefined {
    const workers = (this.workers.get(queue) ?? []).filter(
      (worker) => processId === undefined || worker.processId === processId,
    );
    for (let index = 0; index < workers.length; index += 1) {
      const worker = workers[(this.turn + index) % workers.length]!;
      if (!worker.acceptsMessages() || (this.active.get(worker) ?? 0) >= worker.concurrency) continue;
      this.turn += index + 1;
      return worker;
    }
    return undefined;
  }

  private ready(queue: string): Message[] {
    const waiting = [...this.messages.values()].filter(
      (message) => message.queue === queue && message.state === 'waiting',
    );
    const first = Math.min(...waiting.map(({ priority }) => priority));
    return waiting.filter(({ priority }) => priority === first).sort((left, right) => left.order - right.order);
  }
}
