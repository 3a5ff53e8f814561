import { randomBytes } from 'node:crypto';
import type { ProcessId, QueueName } from '@phaseline/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HandOver } from './hand-over.js';
import { Seal, type Sealing } from './seal.js';
import type { Letter, Transport } from './transport.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function offer(
  handOver: HandOver,
  queue: QueueName,
  payload: unknown,
  to: ProcessId | undefined,
  otherwise: () => Promise<void>,
): boolean {
  return handOver.offer({ queue, payload, to, otherwise });
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** A transport within this process, which loses what `loses` says. */
class Wire {
  readonly posted: Letter[] = [];
  loses: (letter: Letter) => boolean = () => false;
  private readonly listeners = new Map<ProcessId, (text: string) => void>();

  open(maxBytes = 2_000): Transport {
    let own: ProcessId | undefined;
    return {
      maxBytes,
      listen: async (self, onText) => {
        own = self;
        this.listeners.set(self, onText);
      },
      post: async (letters) => {
        for (const letter of letters) {
          this.posted.push(letter);
          if (this.loses(letter)) continue;
          for (const [id, onText] of this.listeners)
            if (letter.to === undefined || letter.to === id) onText(letter.text);
        }
      },
      close: async () => void (own !== undefined && this.listeners.delete(own)),
    };
  }

  say(to: ProcessId, text: string): void {
    this.listeners.get(to)?.(text);
  }
}

async function join(
  wire: Wire,
  processId: ProcessId,
  options: { serves?: QueueName; maxBytes?: number; sealing?: Sealing; errors?: Error[] } = {},
) {
  const taken: unknown[] = [];
  const enclosures: unknown[] = [];
  const state = { isFree: true };
  const handOver = new HandOver({
    transport: wire.open(options.maxBytes),
    processId,
    seal: options.sealing && new Seal(options.sealing, processId),
    take: (_queue, payload, enclosed) => {
      if (state.isFree) taken.push(payload);
      if (state.isFree) enclosures.push(enclosed);
      return state.isFree;
    },
    onError: (error) => {
      if (!options.errors) throw error;
      options.errors.push(error);
    },
  });
  await handOver.open();
  if (options.serves) handOver.serve(options.serves);
  await pass(1);
  return { handOver, taken, enclosures, state };
}

describe('HandOver', () => {
  it('learns who serves a queue, whichever process starts first', async () => {
    const wire = new Wire();
    const early = await join(wire, 'early');
    const runner = await join(wire, 'runner', { serves: 'tools' });
    const late = await join(wire, 'late');
    for (const { handOver } of [early, late]) {
      const enqueue = vi.fn();
      expect(offer(handOver, 'tools', { call: 1 }, undefined, enqueue)).toBe(true);
      expect(offer(handOver, 'tactical', {}, undefined, enqueue)).toBe(false);
      await pass(20);
      expect(enqueue).not.toHaveBeenCalled();
    }
    expect(runner.taken).toEqual([{ call: 1 }, { call: 1 }]);
  });

  it('enqueues what a process refuses, and offers it nothing for a while', async () => {
    const wire = new Wire();
    const runner = await join(wire, 'runner', { serves: 'tools' });
    const { handOver } = await join(wire, 'worker');
    runner.state.isFree = false;
    const enqueue = vi.fn();
    expect(offer(handOver, 'tools', {}, undefined, enqueue)).toBe(true);
    await pass(1);
    expect(enqueue).toHaveBeenCalledOnce();
    expect(offer(handOver, 'tools', {}, undefined, enqueue)).toBe(false);
    runner.state.isFree = true;
    await pass(60);
    expect(offer(handOver, 'tools', { call: 2 }, undefined, enqueue)).toBe(true);
    await pass(1);
    expect(runner.taken).toEqual([{ call: 2 }]);
    expect(enqueue).toHaveBeenCalledOnce();
  });

  it('reports why a message could not be given back: one refused, one not answered, and one open at the end', async () => {
    const wire = new Wire();
    const runner = await join(wire, 'runner', { serves: 'tools' });
    const errors: Error[] = [];
    const { handOver } = await join(wire, 'worker', { errors });
    const fail = (reason: string) => () => Promise.reject(new Error(reason));
    runner.state.isFree = false;
    offer(handOver, 'tools', {}, undefined, fail('refused'));
    await pass(100);
    wire.loses = ({ to }) => to !== undefined;
    offer(handOver, 'tools', {}, undefined, fail('not answered'));
    await pass(1_150);
    runner.handOver.serve('tools');
    await pass(1);
    offer(handOver, 'tools', {}, undefined, fail('closed'));
    await handOver.close();
    expect(errors.map(({ message }) => message)).toEqual(['refused', 'not answered', 'closed']);
  });

  it('enqueues what is not answered, once, and forgets the process until it is heard again', async () => {
    const wire = new Wire();
    const runner = await join(wire, 'runner', { serves: 'tools' });
    const { handOver } = await join(wire, 'worker');
    wire.loses = ({ to }) => to !== undefined;
    const enqueue = vi.fn();
    expect(offer(handOver, 'tools', {}, undefined, enqueue)).toBe(true);
    expect(enqueue).not.toHaveBeenCalled();
    await pass(1_150);
    expect(enqueue).toHaveBeenCalledOnce();
    expect(runner.taken).toEqual([]);
    expect(offer(handOver, 'tools', {}, undefined, enqueue)).toBe(false);
    wire.loses = () => false;
    runner.handOver.serve('tools');
    await pass(5);
    expect(offer(handOver, 'tools', {}, undefined, enqueue)).toBe(true);
  });

  it('offers messages in turn, and to the preferred process only', async () => {
    const wire = new Wire();
    const one = await join(wire, 'one', { serves: 'tools' });
    const two = await join(wire, 'two', { serves: 'tools' });
    const { handOver } = await join(wire, 'worker');
    for (let n = 0; n < 4; n += 1) offer(handOver, 'tools', n, undefined, vi.fn());
    await pass(20);
    expect([one.taken.length, two.taken.length]).toEqual([2, 2]);
    offer(handOver, 'tools', 'for two', 'two', vi.fn());
    await pass(20);
    expect(two.taken).toContain('for two');
    expect(offer(handOver, 'tools', 'for three', 'three', vi.fn())).toBe(false);
    await two.handOver.close();
    await pass(5);
    expect(offer(handOver, 'tools', 'for two', 'two', vi.fn())).toBe(false);
    expect(offer(handOver, 'tools', 'for one', undefined, vi.fn())).toBe(true);
  });

  it('enqueues what is open when it closes, and offers nothing afterwards', async () => {
    const wire = new Wire();
    await join(wire, 'runner', { serves: 'tools' });
    const { handOver } = await join(wire, 'worker');
    wire.loses = () => true;
    const enqueue = vi.fn();
    offer(handOver, 'tools', {}, undefined, enqueue);
    await handOver.close();
    expect(enqueue).toHaveBeenCalledOnce();
    expect(offer(handOver, 'tools', {}, undefined, enqueue)).toBe(false);
  });

  it('sends the frames of one turn in one text, splits long ones, and refuses a message that is too long', async () => {
    const wire = new Wire();
    const runner = await join(wire, 'runner', { serves: 'tools', maxBytes: 300 });
    const { handOver } = await join(wire, 'worker', { maxBytes: 300 });
    const before = wire.posted.length;
    for (let n = 0; n < 3; n += 1) offer(handOver, 'tools', n, undefined, vi.fn());
    await pass(2);
    expect(wire.posted.slice(before).filter(({ to }) => to === 'runner')).toHaveLength(1);
    for (let n = 0; n < 3; n += 1) offer(handOver, 'tools', 'x'.repeat(150), undefined, vi.fn());
    await pass(20);
    expect(runner.taken).toHaveLength(6);
    expect(Math.max(...wire.posted.map(({ text }) => text.length))).toBeLessThanOrEqual(300);
    expect(offer(handOver, 'tools', 'x'.repeat(400), undefined, vi.fn())).toBe(false);
  });

  it('encloses what only the receiver can read', async () => {
    const wire = new Wire();
    const sealing = { secret: randomBytes(32), format: '1' };
    const runner = await join(wire, 'runner', { serves: 'tools', sealing });
    const { handOver } = await join(wire, 'worker', { sealing });
    const enclosed = { text: 'Zwyn' };
    expect(handOver.offer({ queue: 'tools', payload: {}, enclosed, otherwise: vi.fn() })).toBe(true);
    await pass(2);
    expect(runner.enclosures).toEqual([enclosed]);
    expect(wire.posted.map(({ text }) => text).join()).not.toContain('Zwyn');
  });

  it('refuses what it cannot open, and takes a message in which nothing is enclosed', async () => {
    const wire = new Wire();
    const sealing = { secret: randomBytes(32), format: '1' };
    const runner = await join(wire, 'runner', { serves: 'tools', sealing });
    const before = wire.posted.length;
    const frames = [['message', 1, 'tools', {}]];
    const forged = new Seal({ ...sealing, secret: randomBytes(32) }, 'worker').seal('{}', 'runner');
    for (const sealed of [{ 1: forged }, { 1: '' }, { 1: new Seal(sealing, 'worker').seal('{}', 'another') }])
      wire.say('runner', JSON.stringify({ from: 'worker', frames, sealed }));
    await pass(2);
    expect(runner.taken).toEqual([]);
    expect(
      wire.posted
        .slice(before)
        .map(({ text }) => text)
        .join(),
    ).toContain('refused');
    wire.say('runner', JSON.stringify({ from: 'worker', frames }));
    expect(runner.taken).toEqual([{}]);
    expect(runner.enclosures).toEqual([undefined]);
  });

  it('offers a message without what the receiver cannot open, unless it needs that', async () => {
    const wire = new Wire();
    const sealing = { secret: randomBytes(32), format: '1' };
    const runner = await join(wire, 'runner', { serves: 'tools', sealing: { ...sealing, format: '2' } });
    const { handOver } = await join(wire, 'worker', { sealing });
    const message = { queue: 'tools', payload: {}, enclosed: {}, otherwise: vi.fn() } as const;
    expect(handOver.offer({ ...message, needsEnclosed: true })).toBe(false);
    expect(handOver.offer(message)).toBe(true);
    await pass(2);
    expect(runner.enclosures).toEqual([undefined]);
  });

  it('counts what is enclosed when it splits texts', async () => {
    const wire = new Wire();
    const sealing = { secret: randomBytes(32), format: '1' };
    const runner = await join(wire, 'runner', { serves: 'tools', sealing, maxBytes: 600 });
    const { handOver } = await join(wire, 'worker', { sealing, maxBytes: 600 });
    for (let n = 0; n < 4; n += 1)
      handOver.offer({ queue: 'tools', payload: n, enclosed: 'x'.repeat(150), otherwise: vi.fn() });
    await pass(2);
    expect(runner.enclosures).toEqual(Array.from({ length: 4 }, () => 'x'.repeat(150)));
    expect(Math.max(...wire.posted.map(({ text }) => Buffer.byteLength(text)))).toBeLessThanOrEqual(600);
  });

  it('ignores texts that are not its own, and sends nothing while nothing is handed over', async () => {
    const wire = new Wire();
    const runner = await join(wire, 'runner', { serves: 'tools' });
    await join(wire, 'worker');
    await pass(30);
    const before = wire.posted.length;
    for (const text of [
      '',
      '{',
      '[]',
      '{"from":"x","frames":[["message",-1,"tools",{}]]}',
      '{"from":"x","frames":[["rm"]]}',
    ])
      wire.say('runner', text);
    await pass(30);
    expect(runner.taken).toEqual([]);
    expect(wire.posted).toHaveLength(before);
  });
});
