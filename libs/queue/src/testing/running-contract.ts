import type { ParsedSubmitRequest } from '@phaseline/contracts';
import { describe, expect, it, vi } from 'vitest';
import { queueNames, type PhaseMessage } from '@phaseline/contracts';
import type { DeliveryResult } from '../handler.js';
import { QueueClosing, QueuesClosed } from '../queue-errors.js';
import {
  WAIT_OPTIONS,
  SHORT_BACKOFF,
  createPhaseMessage,
  waitForAbort,
  NEVER,
  type ContractContext,
} from './contract-context.js';

/** Closing, message counts, metrics hooks, and inspection by operators. Part of `queueContract`. */
export function runningContract(stage: ContractContext): void {
  const { connect, collect, waitUntilEmpty, deadLetters, errors } = stage;

  describe('close', () => {
    it('waits for handlers that end in time, and acknowledges their messages', async () => {
      const queues = await connect();
      const finished: string[] = [];
      const delivered = await collect(queues, async ({ context }) => {
        await waitForAbort(context.signal);
        finished.push((context.signal.reason as Error).name);
      });
      await queues.send('tactical', createPhaseMessage());
      await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
      expect(await queues.close(5_000)).toEqual({ clean: true, abandoned: [] });
      expect(finished).toEqual([QueueClosing.name]);
      await waitUntilEmpty(await connect());
    });

    it('releases at once the message of a handler that throws because of it, without counting an attempt', async () => {
      const queues = await connect({ policies: { tactical: { attempts: 1 } } });
      const interrupted = await collect(queues, ({ context }) =>
        waitForAbort(context.signal).then(() => Promise.reject(new Error('stopped in the middle'))),
      );
      await queues.send('tactical', createPhaseMessage());
      await vi.waitFor(() => expect(interrupted).toHaveLength(1), WAIT_OPTIONS);
      await queues.close(5_000);
      // Locks that outlast the test: only a released message can arrive.
      const successor = await connect({ tuning: { lockMs: 60_000, stalledCheckMs: 60_000 } });
      const delivered = await collect(successor);
      await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
      expect(delivered[0]!.context).toMatchObject({ attempt: 1, isRedelivered: true });
      expect(deadLetters).toEqual([]);
    });

    it('abandons a handler that hangs until the timeout, and its message is delivered again', async () => {
      const queues = await connect();
      const hanging = await collect(queues, () => NEVER);
      await queues.send('tactical', createPhaseMessage(), { id: 'hung' });
      await vi.waitFor(() => expect(hanging).toHaveLength(1), WAIT_OPTIONS);
      expect(await queues.close(600)).toEqual({ clean: false, abandoned: [{ queue: 'tactical', messageId: 'hung' }] });
      const successor = await connect();
      const delivered = await collect(successor);
      await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
      expect(delivered[0]!.context.isRedelivered).toBe(true);
    });

    it('makes later calls fail, and may be called again', async () => {
      const queues = await connect();
      const report = await queues.close(2_000);
      expect(await queues.close(2_000)).toBe(report);
      await expect(queues.send('tactical', createPhaseMessage())).rejects.toThrow(QueuesClosed);
      await expect(queues.work('tactical', async () => {})).rejects.toThrow(QueuesClosed);
      await expect(queues.readDepths()).rejects.toThrow(QueuesClosed);
    });
  });

  it('depths() counts waiting, active and delayed messages and returns the age of the oldest waiting one', async () => {
    const queues = await connect();
    expect((await queues.readDepths()).tactical).toEqual({
      waiting: 0,
      active: 0,
      delayed: 0,
      failed: 0,
      oldestAgeMs: undefined,
    });
    const gate = Promise.withResolvers<void>();
    const delivered = await collect(queues, () => gate.promise, 1);
    await queues.send('tactical', createPhaseMessage(1));
    await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
    await queues.send('tactical', createPhaseMessage(2), { priority: 7 });
    await new Promise((resolve) => setTimeout(resolve, 60));
    const ageOfFirst = (await queues.readDepths()).tactical.oldestAgeMs!;
    await queues.send('tactical', createPhaseMessage(3), { priority: 3 });
    await queues.send('tactical', createPhaseMessage(4));
    await queues.send('tactical', createPhaseMessage(5), { delayMs: 60_000 });
    const { oldestAgeMs, ...counts } = (await queues.readDepths()).tactical;
    expect(counts).toEqual({ waiting: 3, active: 1, delayed: 1, failed: 0 });
    expect(oldestAgeMs).toBeGreaterThanOrEqual(ageOfFirst);
    expect((await queues.readDepths()).strategic.waiting).toBe(0);
    expect(Object.keys(await queues.readDepths())).toEqual(queueNames);
    gate.resolve();
    await vi.waitFor(() => expect(delivered).toHaveLength(4), WAIT_OPTIONS);
  });

  it('counts the recent messages that wait or are handled, and the load of the process', async () => {
    const queues = await connect();
    const gate = Promise.withResolvers<void>();
    const delivered = await collect(queues, () => gate.promise, 2);
    const idle = queues.load;
    await queues.send('tactical', createPhaseMessage(1));
    await queues.send('tactical', createPhaseMessage(2));
    await vi.waitFor(() => expect(delivered).toHaveLength(2), WAIT_OPTIONS);
    expect([idle, queues.load]).toEqual([
      { running: 0, concurrency: 2 },
      { running: 2, concurrency: 2 },
    ]);
    await queues.send('tactical', createPhaseMessage(3));
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    for (const phase of [4, 5, 6]) await queues.send('tactical', createPhaseMessage(phase));
    await queues.send('tactical', createPhaseMessage(7), { priority: 2 });
    await queues.send('tactical', createPhaseMessage(8), { delayMs: 60_000 });
    expect(await queues.countRecent('tactical', 60_000)).toBe(7);
    // The four that were sent after the pause.
    expect(await queues.countRecent('tactical', 2_400.25)).toBe(4);
    expect(await queues.countRecent('strategic', 60_000)).toBe(0);
    gate.resolve();
    await vi.waitFor(() => expect(delivered).toHaveLength(7), WAIT_OPTIONS);
  });

  it('a foreign producer may use any job name and options: the message is handled and removed like any other', async () => {
    const queues = await connect();
    const handled: ParsedSubmitRequest[] = [];
    await queues.work('jobs', async (job) => void handled.push(job));
    const foreign = await stage.place.connectForeignProducer();
    await foreign.queue.add('submit', { agent: 'creator' }, { removeOnComplete: { count: 1_000 }, attempts: 1 });
    await foreign.queue.add('something else', { agent: 'validator' }, { jobId: 'my-own-id', priority: 5, delay: 20 });
    await vi.waitFor(() => expect(handled).toHaveLength(2), WAIT_OPTIONS);
    await waitUntilEmpty(queues);
    expect(await foreign.queue.getJobCounts('completed', 'failed')).toEqual({ completed: 0, failed: 0 });
    expect(handled.map(({ agent }) => agent)).toEqual(['creator', 'validator']);
    await foreign.close();
  });

  it('calls the metrics hooks for every send and every outcome', async () => {
    const sent: [string, number][] = [];
    const settled: DeliveryResult[] = [];
    const queues = await connect({
      policies: { tactical: { attempts: 2, backoff: SHORT_BACKOFF } },
      metrics: { recordSent: (...one) => void sent.push(one), recordDelivery: (one) => void settled.push(one) },
    });
    await collect(queues, ({ payload, context }) => {
      if (payload.phase === 2) throw new Error('no');
      if (payload.phase === 3 && context.attempt === 1 && settled.length < 4) return { retryAt: Date.now() + 20 };
    });
    await queues.send('tactical', createPhaseMessage(1));
    await vi.waitFor(() => expect(settled).toHaveLength(1), WAIT_OPTIONS);
    await queues.sendMany([{ queue: 'tactical', payload: createPhaseMessage(2) }]);
    await vi.waitFor(() => expect(settled).toHaveLength(3), WAIT_OPTIONS);
    await queues.send('tactical', createPhaseMessage(3));
    await vi.waitFor(() => expect(settled).toHaveLength(5), WAIT_OPTIONS);
    expect(settled.map(({ outcome }) => outcome)).toEqual([
      'completed',
      'retried',
      'dead-lettered',
      'postponed',
      'completed',
    ]);
    expect(settled.map(({ waitMs }) => waitMs !== undefined)).toEqual([true, true, false, true, false]);
    expect(sent).toEqual([
      ['tactical', 1],
      ['tactical', 1],
      ['tactical', 1],
    ]);
  });

  it('a metrics hook that throws does not affect delivery', async () => {
    const throwError = (): never => {
      throw new Error('no such counter');
    };
    const queues = await connect({ metrics: { recordSent: throwError, recordDelivery: throwError } });
    const delivered = await collect(queues);
    await queues.send('tactical', createPhaseMessage());
    await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
    await waitUntilEmpty(queues);
    expect(deadLetters).toEqual([]);
    expect(errors).toHaveLength(2);
  });

  describe('messages() and discard()', () => {
    it('list waiting, active and delayed messages, and remove those that are not active', async () => {
      const queues = await connect();
      const gate = Promise.withResolvers<void>();
      const [running, waiting, delayed, urgent] = [
        createPhaseMessage(1),
        createPhaseMessage(2),
        createPhaseMessage(3),
        createPhaseMessage(4),
      ];
      await queues.send('tactical', running, { id: 'r' });
      await queues.work('tactical', () => gate.promise, { concurrency: 1 });
      await vi.waitFor(async () => expect((await queues.readDepths()).tactical.active).toBe(1), WAIT_OPTIONS);
      await queues.send('tactical', waiting, { id: 'w:1' });
      await queues.send('tactical', urgent, { id: 'u', priority: 3 });
      await queues.send('tactical', delayed, { id: 'd', delayMs: 60_000 });
      const seen = await queues.listMessages('tactical');
      const found = Object.fromEntries(seen.map(({ state, payload }) => [(payload as PhaseMessage).phase, state]));
      expect(found).toEqual({ 1: 'active', 2: 'waiting', 3: 'delayed', 4: 'waiting' });
      const late = seen.find(({ state }) => state === 'delayed')!;
      expect(late.dueAt - late.sentAt).toBeGreaterThan(50_000);
      for (const { messageId, state } of seen)
        expect(await queues.discard('tactical', messageId)).toBe(state !== 'active');
      expect(await queues.discard('tactical', 'never sent')).toBe(false);
      expect(await queues.listMessages('tactical', 10)).toMatchObject([
        { messageId: 'r', state: 'active', payload: running },
      ]);
      gate.resolve();
      await waitUntilEmpty(queues);
      expect(await queues.listMessages('tactical')).toEqual([]);
    });
  });
}
