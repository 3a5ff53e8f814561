import type { ProcessId, QueueName } from '@phaseline/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HandOver } from './hand-over.js';
import type { Letter, Transport } from './transport.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

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

async function join(wire: Wire, processId: ProcessId, options: { serves?: QueueName; maxBytes?: number } = {}) {
  const taken: unknown[] = [];
  const state = { isFree: true };
  const handOver = new HandOver({
    transport: wire.open(options.maxBytes),
    processId,
    take: (_queue, payload) => {
      if (state.isFree) taken.push(payload);
      return state.isFree;
    },
    onError: (error) => {
      throw error;
    },
  });
  await handOver.open();
  if (options.serves) handOver.serve(options.serves);
  await pass(1);
  return { handOver, taken, state };
}

describe('HandOver', () => {
  it('learns who serves a queue, whichever process starts first', async () => {
    const wire = new Wire();
    const early = await join(wire, 'early');
    const runner = await join(wire, 'runner', { serves: 'tools' });
    const late = await join(wire, 'late');
    for (const { handOver } of [early, late]) {
      const enqueue = vi.fn();
      expect(handOver.offer('tools', { call: 1 }, undefined, enqueue)).toBe(true);
      expect(handOver.offer('tactical', {}, undefined, enqueue)).toBe(false);
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
    expect(handOver.offer('tools', {}, undefined, enqueue)).toBe(true);
    await pass(1);
    expect(enqueue).toHaveBeenCalledOnce();
    expect(handOver.offer('tools', {}, undefined, enqueue)).toBe(false);
    runner.state.isFree = true;
    await pass(60);
    expect(handOver.offer('tools', { call: 2 }, undefined, enqueue)).toBe(true);
    await pass(1);
    expect(runner.taken).toEqual([{ call: 2 }]);
    expect(enqueue).toHaveBeenCalledOnce();
  });

  it('enqueues what is not answered, once, and forgets the process until it is heard again', async () => {
    const wire = new Wire();
    const runner = await join(wire, 'runner', { serves: 'tools' });
    const { handOver } = await join(wire, 'worker');
    wire.loses = ({ to }) => to !== undefined;
    const enqueue = vi.fn();
    expect(handOver.offer('tools', {}, undefined, enqueue)).toBe(true);
    expect(enqueue).not.toHaveBeenCalled();
    await pass(1_150);
    expect(enqueue).toHaveBeenCalledOnce();
    expect(runner.taken).toEqual([]);
    expect(handOver.offer('tools', {}, undefined, enqueue)).toBe(false);
    wire.loses = () => false;
    runner.handOver.serve('tools');
    await pass(5);
    expect(handOver.offer('tools', {}, undefined, enqueue)).toBe(true);
  });

  it('offers messages in turn, and to the preferred process only', async () => {
    const wire = new Wire();
    const one = await join(wire, 'one', { serves: 'tools' });
    const two = await join(wire, 'two', { serves: 'tools' });
    const { handOver } = await join(wire, 'worker');
    for (let n = 0; n < 4; n += 1) handOver.offer('tools', n, undefined, vi.fn());
    await pass(20);
    expect([one.taken.length, two.taken.length]).toEqual([2, 2]);
    handOver.offer('tools', 'for two', 'two', vi.fn());
    await pass(20);
    expect(two.taken).toContain('for two');
    expect(handOver.offer('tools', 'for three', 'three', vi.fn())).toBe(false);
    await two.handOver.close();
    await pass(5);
    expect(handOver.offer('tools', 'for two', 'two', vi.fn())).toBe(false);
    expect(handOver.offer('tools', 'for one', undefined, vi.fn())).toBe(true);
  });

  it('enqueues what is open when it closes, and offers nothing afterwards', async () => {
    const wire = new Wire();
    await join(wire, 'runner', { serves: 'tools' });
    const { handOver } = await join(wire, 'worker');
    wire.loses = () => true;
    const enqueue = vi.fn();
    handOver.offer('tools', {}, undefined, enqueue);
    await handOver.close();
    expect(enqueue).toHaveBeenCalledOnce();
    expect(handOver.offer('tools', {}, undefined, enqueue)).toBe(false);
  });

  it('sends the frames of one turn in one text, splits long ones, and refuses a message that is too long', async () => {
    const wire = new Wire();
    const runner = await join(wire, 'runner', { serves: 'tools', maxBytes: 300 });
    const { handOver } = await join(wire, 'worker', { maxBytes: 300 });
    const before = wire.posted.length;
    for (let n = 0; n < 3; n += 1) handOver.offer('tools', n, undefined, vi.fn());
    await pass(2);
    expect(wire.posted.slice(before).filter(({ to }) => to === 'runner')).toHaveLength(1);
    for (let n = 0; n < 3; n += 1) handOver.offer('tools', 'x'.repeat(150), undefined, vi.fn());
    await pass(20);
    expect(runner.taken).toHaveLength(6);
    expect(Math.max(...wire.posted.map(({ text }) => text.length))).toBeLessThanOrEqual(300);
    expect(handOver.offer('tools', 'x'.repeat(400), undefined, vi.fn())).toBe(false);
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
