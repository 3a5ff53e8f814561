import type { ProcessId, QueueName } from '@phaseline/contracts';
import { faultPoint } from '@phaseline/fault-points';
import { parseLetter, type Frame, type ReceivedLetter } from './frames.js';
import type { Seal } from './seal.js';
import type { Letter, Transport } from './transport.js';

export interface HandOverParts {
  readonly transport: Transport;
  readonly processId: ProcessId;
  /** Seals what is enclosed with messages. Without it, nothing is. */
  readonly seal?: Seal | undefined;
  /** Takes a message if it can be handled at once; returns whether it did. */
  readonly take: (queue: QueueName, payload: unknown, enclosed: unknown) => boolean;
  readonly onError: (error: Error) => void;
}

/** Another process, according to what it said last. */
interface Peer {
  readonly queues: ReadonlySet<QueueName>;
  readonly heardAt: number;
  /** Mark of the seals that it opens; undefined if none. */
  readonly opens: string | undefined;
  /** When it refused a message last, by queue. */
  readonly refusedAt: Map<QueueName, number>;
}

/** A message that is offered to other processes. */
export interface OfferedMessage {
  readonly queue: QueueName;
  readonly payload: unknown;
  /** The process that is to take it; any one that serves the queue if undefined. */
  readonly to?: ProcessId | undefined;
  /** What goes with the message, as JSON. */
  readonly enclosed?: unknown;
  /** Whether the message is worth nothing without what is enclosed, so that it is not offered if that cannot be sent. */
  readonly needsEnclosed?: boolean;
  /** Called when nobody took the message, for example to put it into its queue. If it rejects, the error is reported with `onError`. */
  readonly otherwise: () => Promise<void>;
}

interface Offer extends Pick<OfferedMessage, 'queue' | 'otherwise'> {
  readonly to: ProcessId;
  readonly deadline: number;
}

/** A frame with what is enclosed in its message, sealed. */
interface OutgoingFrame {
  readonly frame: Frame;
  readonly sealed?: string | undefined;
  /** Bytes that it takes in a text. */
  readonly bytes: number;
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
  private outbox = new Map<ProcessId | undefined, OutgoingFrame[]>();
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

  /** Offers a message to another process. Returns whether it was offered; `otherwise` is then called unless a process takes it. */
  offer(message: OfferedMessage): boolean {
    const { queue, payload, otherwise } = message;
    const to = this.closed ? undefined : this.choose(queue, message.to);
    if (to === undefined) {
      this.ask();
      return false;
    }
    const number = (this.lastNumber += 1);
    const outgoing = this.enclose(['message', number, queue, payload], to, message);
    if (!outgoing) return false;
    this.offers.set(number, { to, queue, otherwise, deadline: performance.now() + ANSWER_WITHIN_MS });
    this.put(to, outgoing);
    this.searching ??= setTimeout(() => this.giveUpUnanswered(), SEARCH_INTERVAL_MS);
    return true;
  }

  /** Gives up every message that was not taken, says that this process serves nothing any more, and disconnects. */
  async close(): Promise<void> {
    if (this.closed) return;
    if (this.served.size > 0) this.say(undefined, ['serves', []]);
    this.closed = true;
    clearTimeout(this.searching);
    const given = [...this.offers.values()].map((offer) => this.giveBack(offer));
    this.offers.clear();
    await this.post();
    await Promise.all(given);
    await this.parts.transport.close();
  }

  private get maxFrameBytes(): number {
    const { transport, processId, seal } = this.parts;
    // A text without frames.
    const envelope = { from: processId, frames: [], opens: seal?.mark, sealed: {} };
    return transport.maxBytes - Buffer.byteLength(JSON.stringify(envelope));
  }

  /** The frame with what is enclosed, if that can be sent; undefined if the message cannot be offered. */
  private enclose(
    frame: Frame,
    to: ProcessId,
    { enclosed, needsEnclosed = false }: OfferedMessage,
  ): OutgoingFrame | undefined {
    const { seal } = this.parts;
    if (enclosed !== undefined && seal && this.peers.get(to)?.opens === seal.mark) {
      const sealed = seal.seal(JSON.stringify(enclosed), to);
      const bytes = countBytes(frame, sealed);
      if (bytes <= this.maxFrameBytes) return { frame, sealed, bytes };
    }
    const bytes = countBytes(frame);
    return needsEnclosed || bytes > this.maxFrameBytes ? undefined : { frame, bytes };
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
    const known = this.peers.get(letter.from);
    if (known) this.peers.set(letter.from, { ...known, heardAt: performance.now() });
    for (const frame of letter.frames) this.handle(letter, frame);
  }

  private handle({ from, sealed, opens }: ReceivedLetter, frame: Frame): void {
    switch (frame[0]) {
      case 'message': {
        const [, number, queue, payload] = frame;
        const text = sealed?.[number];
        const opened = text === undefined ? undefined : this.parts.seal?.open(text, from);
        // Without what is enclosed, the message may be worth nothing.
        const isComplete = text === undefined || opened !== undefined;
        const enclosed: unknown = opened === undefined ? undefined : JSON.parse(opened);
        if (isComplete && this.parts.take(queue, payload, enclosed)) this.say(from, ['taken', number], ANSWER_DELAY_MS);
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
        void this.giveBack(offer);
        return;
      }
      case 'who':
        if (this.served.size > 0) this.say(from, ['serves', [...this.served]]);
        return;
      case 'serves': {
        const queues = new Set(frame[1]);
        if (queues.size === 0) this.peers.delete(from);
        else this.peers.set(from, { queues, opens, heardAt: performance.now(), refusedAt: new Map() });
        return;
      }
    }
  }

  /** Gives up the messages that were not answered in time, and forgets the processes that did not answer. */
  private giveUpUnanswered(): void {
    const now = performance.now();
    for (const [number, offer] of this.offers) {
      if (offer.deadline > now) continue;
      this.offers.delete(number);
      this.peers.delete(offer.to);
      void this.giveBack(offer);
    }
    this.searching = this.offers.size === 0 ? undefined : setTimeout(() => this.giveUpUnanswered(), SEARCH_INTERVAL_MS);
  }

  /** Lets the sender of a message that nobody took do what it does then. */
  private async giveBack({ otherwise }: Offer): Promise<void> {
    try {
      await otherwise();
    } catch (error) {
      this.parts.onError(error as Error);
    }
  }

  /** Sends a frame with the others of this turn of the event loop, or within `delayMs`. */
  private say(to: ProcessId | undefined, frame: Frame, delayMs = 0): void {
    this.put(to, { frame, bytes: countBytes(frame) }, delayMs);
  }

  private put(to: ProcessId | undefined, outgoing: OutgoingFrame, delayMs = 0): void {
    if (this.closed) return;
    const frames = this.outbox.get(to);
    if (frames) frames.push(outgoing);
    else this.outbox.set(to, [outgoing]);
    if (delayMs > 0) this.answering ??= setTimeout(() => void this.post(), delayMs);
    else this.posting ??= setImmediate(() => void this.post());
  }

  private async post(): Promise<void> {
    clearImmediate(this.posting);
    clearTimeout(this.answering);
    this.posting = undefined;
    this.answering = undefined;
    const { transport, onError } = this.parts;
    const letters: Letter[] = [...this.outbox].flatMap(([to, frames]) =>
      splitFrames(frames, this.maxFrameBytes).map((part) => ({ to, text: this.write(part) })),
    );
    this.outbox = new Map();
    // What does not arrive is put into its queue when the answer does not come.
    if (letters.length > 0) await transport.post(letters).catch(onError);
    if (this.offers.size > 0) faultPoint('queue.offered', this.parts.processId);
  }

  private write(outgoing: readonly OutgoingFrame[]): string {
    const { processId, seal } = this.parts;
    const sealed = outgoing.flatMap((one) => (one.sealed === undefined ? [] : [[one.frame[1], one.sealed]]));
    return JSON.stringify({
      from: processId,
      frames: outgoing.map(({ frame }) => frame),
      ...(seal ? { opens: seal.mark } : {}),
      ...(sealed.length > 0 ? { sealed: Object.fromEntries(sealed) } : {}),
    });
  }
}

/** Splits frames so that no text is too long. */
function splitFrames(frames: readonly OutgoingFrame[], maxBytes: number): OutgoingFrame[][] {
  const parts: OutgoingFrame[][] = [];
  let bytes = Infinity;
  for (const outgoing of frames) {
    if (bytes + outgoing.bytes > maxBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)!.push(outgoing);
    bytes += outgoing.bytes;
  }
  return parts;
}

/** Bytes of a frame in a text, with the comma after it. */
function countBytes(frame: Frame, sealed?: string): number {
  const own = Buffer.byteLength(JSON.stringify(frame)) + 1;
  // The number of the message is the name of what is sealed; quotes, colon and comma are six bytes.
  return sealed === undefined ? own : own + sealed.length + String(frame[1]).length + 6;
}
