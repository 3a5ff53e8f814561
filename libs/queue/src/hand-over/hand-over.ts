import type { ProcessId, QueueName } from '@phaseline/contracts';
import { faultPoint } from '@phaseline/fault-points';
import { parseLetter, type Frame } from './frames.js';
import type { Letter, Transport } from './transport.js';

export interface HandOverParts {
  readonly transport: Transport;
  readonly processId: ProcessId;
  /** Takes a message if it can be handled at once; returns whether it did. */
  readonly take: (queue: QueueName, payload: unknown) => boolean;
  readonly onError: (error: Error) => void;
}

/** Another process, according to what it said last. */
interface Peer {
  readonly queues: ReadonlySet<QueueName>;
  readonly heardAt: number;
  /** When it refused a message last, by queue. */
  readonly refusedAt: Map<QueueName, number>;
}

interface Offer {
  readonly to: ProcessId;
  readonly queue: QueueName;
  /** Puts the message into its queue, because nobody took it. */
  readonly enqueue: () => void;
  readonly deadline: number;
}

/** Milliseconds within which a process has to say that it took a message. */
const ANSWER_WITHIN_MS = 1_000;
/** Milliseconds between two searches for messages that were not answered. */
const SEARCH_INTERVAL_MS = 100;
/** Milliseconds that an answer may wait for another text to the same process. */
const ANSWER_DELAY_MS = 50;
/** Milliseconds for which a process that refused a message is offered no other one. */
const REFUSED_FOR_MS = 50;
/** Milliseconds after which a process that said nothing is forgotten. */
const FORGET_AFTER_MS = 60_000;
/** Milliseconds between two questions who serves which queue. */
const ASK_INTERVAL_MS = 1_000;

/**
 * Gives messages to processes that are free to handle them at once, so that they do not pass through the queue. A message that nobody
 * takes is put into its queue. One that was taken is in no queue: when the process dies, the reconciler finds in the log what is due.
 *
 * Processes learn from each other which queues they serve: they say it when they start, when they close, and when asked. Nothing is
 * sent while no messages are handed over.
 */
export class HandOver {
  private readonly peers = new Map<ProcessId, Peer>();
  private readonly offers = new Map<number, Offer>();
  private readonly served = new Set<QueueName>();
  private outbox = new Map<ProcessId | undefined, Frame[]>();
  private posting: NodeJS.Immediate | undefined;
  private answering: NodeJS.Timeout | undefined;
  private searching: NodeJS.Timeout | undefined;
  private lastNumber = 0;
  private turn = 0;
  private askedAt = -Infinity;
  private closed = false;

  constructor(private readonly parts: HandOverParts) {}

  async open(): Promise<void> {
    await this.parts.transport.listen(this.parts.processId, (text) => this.receive(text));
    this.ask();
  }

  /** Says that this process serves a queue from now on. */
  serve(queue: QueueName): void {
    this.served.add(queue);
    this.say(undefined, ['serves', [...this.served]]);
  }

  /**
   * Offers a message to `preferred`, or to a process that serves the queue. Returns whether it was offered; `enqueue` is then called
   * unless a process takes it.
   */
  offer(queue: QueueName, payload: unknown, preferred: ProcessId | undefined, enqueue: () => void): boolean {
    const to = this.closed ? undefined : this.choose(queue, preferred);
    if (to === undefined) {
      this.ask();
      return false;
    }
    const number = (this.lastNumber += 1);
    const frame: Frame = ['message', number, queue, payload];
    if (Buffer.byteLength(JSON.stringify(frame)) > this.maxFrameBytes) return false;
    this.offers.set(number, { to, queue, enqueue, deadline: performance.now() + ANSWER_WITHIN_MS });
    this.say(to, frame);
    this.searching ??= setTimeout(() => this.enqueueUnanswered(), SEARCH_INTERVAL_MS);
    return true;
  }

  /** Puts every message that was not taken into its queue, says that this process serves nothing any more, and disconnects. */
  async close(): Promise<void> {
    if (this.closed) return;
    if (this.served.size > 0) this.say(undefined, ['serves', []]);
    this.closed = true;
    clearTimeout(this.searching);
    for (const { enqueue } of this.offers.values()) enqueue();
    this.offers.clear();
    await this.post();
    await this.parts.transport.close();
  }

  private get maxFrameBytes(): number {
    return this.parts.transport.maxBytes - envelopeBytes(this.parts.processId);
  }

  private choose(queue: QueueName, preferred: ProcessId | undefined): ProcessId | undefined {
    const now = performance.now();
    if (preferred !== undefined) return this.isFree(preferred, queue, now) ? preferred : undefined;
    const ids = [...this.peers.keys()];
    for (let index = 0; index < ids.length; index += 1) {
      const id = ids[(this.turn + index) % ids.length]!;
      if (!this.isFree(id, queue, now)) continue;
      this.turn += index + 1;
      return id;
    }
    return undefined;
  }

  private isFree(id: ProcessId, queue: QueueName, now: number): boolean {
    const peer = this.peers.get(id);
    if (!peer?.queues.has(queue)) return false;
    if (now - peer.heardAt > FORGET_AFTER_MS) {
      this.peers.delete(id);
      return false;
    }
    return now - (peer.refusedAt.get(queue) ?? -Infinity) > REFUSED_FOR_MS;
  }

  private ask(): void {
    const now = performance.now();
    if (now - this.askedAt < ASK_INTERVAL_MS) return;
    this.askedAt = now;
    this.say(undefined, ['who']);
  }

  private receive(text: string): void {
    const letter = parseLetter(text);
    if (!letter || this.closed) return;
    const { from, frames } = letter;
    const known = this.peers.get(from);
    if (known) this.peers.set(from, { ...known, heardAt: performance.now() });
    for (const frame of frames) this.handle(from, frame);
  }

  private handle(from: ProcessId, frame: Frame): void {
    switch (frame[0]) {
      case 'message': {
        const [, number, queue, payload] = frame;
        if (this.parts.take(queue, payload)) this.say(from, ['taken', number], ANSWER_DELAY_MS);
        else this.say(from, ['refused', number]);
        return;
      }
      case 'taken':
        this.offers.delete(frame[1]);
        return;
      case 'refused': {
        const offer = this.offers.get(frame[1]);
        if (!offer) return;
        this.offers.delete(frame[1]);
        this.peers.get(from)?.refusedAt.set(offer.queue, performance.now());
        offer.enqueue();
        return;
      }
      case 'who':
        if (this.served.size > 0) this.say(from, ['serves', [...this.served]]);
        return;
      case 'serves':
        if (frame[1].length === 0) this.peers.delete(from);
        else this.peers.set(from, { queues: new Set(frame[1]), heardAt: performance.now(), refusedAt: new Map() });
        return;
    }
  }

  /** Puts messages that were not answered in time into their queues, and forgets the processes that did not answer. */
  private enqueueUnanswered(): void {
    const now = performance.now();
    for (const [number, { to, enqueue, deadline }] of this.offers) {
      if (deadline > now) continue;
      this.offers.delete(number);
      this.peers.delete(to);
      enqueue();
    }
    this.searching =
      this.offers.size === 0 ? undefined : setTimeout(() => this.enqueueUnanswered(), SEARCH_INTERVAL_MS);
  }

  /** Sends a frame with the others of this turn of the event loop, or within `delayMs`. */
  private say(to: ProcessId | undefined, frame: Frame, delayMs = 0): void {
    if (this.closed) return;
    const frames = this.outbox.get(to);
    if (frames) frames.push(frame);
    else this.outbox.set(to, [frame]);
    if (delayMs > 0) this.answering ??= setTimeout(() => void this.post(), delayMs);
    else this.posting ??= setImmediate(() => void this.post());
  }

  private async post(): Promise<void> {
    clearImmediate(this.posting);
    clearTimeout(this.answering);
    this.posting = undefined;
    this.answering = undefined;
    const { transport, processId, onError } = this.parts;
    const letters: Letter[] = [...this.outbox].flatMap(([to, frames]) =>
      splitFrames(frames, this.maxFrameBytes).map((part) => ({
        to,
        text: JSON.stringify({ from: processId, frames: part }),
      })),
    );
    this.outbox = new Map();
    // What does not arrive is put into its queue when the answer does not come.
    if (letters.length > 0) await transport.post(letters).catch(onError);
    if (this.offers.size > 0) faultPoint('queue.offered', processId);
  }
}

/** Splits frames so that no text is too long. */
function splitFrames(frames: readonly Frame[], maxBytes: number): Frame[][] {
  const parts: Frame[][] = [];
  let bytes = Infinity;
  for (const frame of frames) {
    const size = Buffer.byteLength(JSON.stringify(frame)) + 1;
    if (bytes + size > maxBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)!.push(frame);
    bytes += size;
  }
  return parts;
}

function envelopeBytes(processId: ProcessId): number {
  return Buffer.byteLength(JSON.stringify({ from: processId, frames: [] }));
}
