import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { InvalidMessage } from '../queue-errors.js';
import { WAIT_OPTIONS, createPhaseMessage, type ContractContext } from './contract-context.js';

/** Delivery of messages: recipients, order and ids. Part of `queueContract`. */
export function deliveryContract(stage: ContractContext): void {
  const { connect, collect, waitUntilEmpty, deadLetters } = stage;

  describe('delivery', () => {
    it('passes the payload and the delivery context to the handler', async () => {
      const queues = await connect();
      const delivered = await collect(queues);
      const sent = { ...createPhaseMessage(3), traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
      await queues.send('tactical', sent, { id: 'one' });
      await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
      expect(delivered[0]!.payload).toEqual(sent);
      expect(delivered[0]!.context).toMatchObject({
        messageId: 'one',
        attempt: 1,
        isRedelivered: false,
        enqueuedAt: expect.any(Number),
      });
      await waitUntilEmpty(queues);
    });

    it('delivers each message once when several instances work on a queue', async () => {
      const [sender, first, second] = [await connect(), await connect(), await connect()];
      const seen = await Promise.all([first, second].map((queues) => collect(queues)));
      const sent = Array.from({ length: 40 }, (_, phase) => createPhaseMessage(phase));
      await sender.sendMany(sent.map((payload) => ({ queue: 'tactical', payload })));
      await vi.waitFor(() => expect(seen.flat()).toHaveLength(40), WAIT_OPTIONS);
      await waitUntilEmpty(sender);
      expect(
        seen
          .flat()
          .map(({ payload }) => payload.phase)
          .toSorted((a, b) => a - b),
      ).toEqual(sent.map(({ phase }) => phase));
    });

    it('sends to several queues in one call, and sends nothing when one message is invalid', async () => {
      const queues = await connect();
      const tool = { jobId: randomUUID(), phase: 1, callId: 'call:1/ü', epoch: 0 };
      await queues.sendMany([
        { queue: 'tools', payload: tool },
        { queue: 'strategic', payload: createPhaseMessage() },
        { queue: 'jobs', payload: { agent: 'creator' } },
      ]);
      const depths = await queues.readDepths();
      expect([depths.tools.waiting, depths.strategic.waiting, depths.jobs.waiting, depths.tactical.waiting]).toEqual([
        1, 1, 1, 0,
      ]);
      const wrong = queues.sendMany([
        { queue: 'tactical', payload: createPhaseMessage() },
        { queue: 'tactical', payload: { ...createPhaseMessage(), phase: -1 } },
      ]);
      await expect(wrong).rejects.toThrow(InvalidMessage);
      expect((await queues.readDepths()).tactical.waiting).toBe(0);
    });

    it('never runs more handlers concurrently than configured', async () => {
      const queues = await connect();
      let running = 0;
      let maxRunning = 0;
      const full = Promise.withResolvers<void>();
      const delivered = await collect(
        queues,
        async () => {
          maxRunning = Math.max(maxRunning, ++running);
          if (running === 3) full.resolve();
          // A handler alone could end before the next one begins.
          await full.promise;
          await new Promise((resolve) => setTimeout(resolve, 5));
          running--;
        },
        3,
      );
      await queues.sendMany(Array.from({ length: 30 }, () => ({ queue: 'tactical', payload: createPhaseMessage() })));
      await vi.waitFor(() => expect(delivered).toHaveLength(30), WAIT_OPTIONS);
      expect(maxRunning).toBe(3);
    });

    it('delivers messages without a priority first, then those with low numbers, then those with high ones', async () => {
      const queues = await connect();
      for (const [phase, priority] of [
        [1, 9],
        [2, 2],
        [3, 0],
        [4, 9],
        [5, 0],
      ] as const)
        await queues.send('tactical', createPhaseMessage(phase), { priority });
      const delivered = await collect(queues, () => {}, 1);
      await vi.waitFor(() => expect(delivered).toHaveLength(5), WAIT_OPTIONS);
      expect(delivered.map(({ payload }) => payload.phase)).toEqual([3, 5, 2, 1, 4]);
    });

    it('delivers a delayed message after messages sent later, and accepts fractions of a millisecond', async () => {
      const queues = await connect();
      const delivered = await collect(queues);
      await queues.send('tactical', createPhaseMessage(1), { delayMs: 400.5 });
      expect((await queues.readDepths()).tactical.delayed).toBe(1);
      await queues.send('tactical', createPhaseMessage(2));
      await vi.waitFor(() => expect(delivered).toHaveLength(2), WAIT_OPTIONS);
      expect(delivered.map(({ payload }) => payload.phase)).toEqual([2, 1]);
    });
  });

  describe('a message id', () => {
    it('makes a second send a no-op while the first message is waiting, delayed or active', async () => {
      const queues = await connect();
      const gate = Promise.withResolvers<void>();
      await queues.send('tactical', createPhaseMessage(1), { id: 'same' });
      await Promise.all(
        Array.from({ length: 10 }, () => queues.send('tactical', createPhaseMessage(2), { id: 'same' })),
      );
      await queues.send('tactical', createPhaseMessage(3), { id: 'later', delayMs: 60_000 });
      await queues.send('tactical', createPhaseMessage(4), { id: 'later' });
      expect((await queues.readDepths()).tactical).toMatchObject({ waiting: 1, delayed: 1 });
      const delivered = await collect(queues, () => gate.promise);
      await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
      await queues.send('tactical', createPhaseMessage(5), { id: 'same' });
      expect((await queues.readDepths()).tactical).toMatchObject({ waiting: 0, active: 1 });
      gate.resolve();
      await vi.waitFor(async () => expect((await queues.readDepths()).tactical.active).toBe(0), WAIT_OPTIONS);
      expect(delivered.map(({ payload }) => payload.phase)).toEqual([1]);
    });

    it('can be used again as soon as its message has completed or become a dead letter', async () => {
      const queues = await connect();
      const delivered = await collect(queues, ({ payload }) => {
        if (payload.phase === 2) throw Object.assign(new Error('no'), { retryable: false });
      });
      for (const phase of [1, 2, 3]) {
        await queues.send('tactical', createPhaseMessage(phase), { id: 'again' });
        await vi.waitFor(() => expect(delivered).toHaveLength(phase), WAIT_OPTIONS);
        await waitUntilEmpty(queues);
        expect(await queues.has('tactical', 'again')).toBe(false);
      }
      expect(delivered.map(({ payload }) => payload.phase)).toEqual([1, 2, 3]);
      expect(deadLetters).toHaveLength(1);
    });

    it('is derived from the payload when none is given, so that the same work is not queued twice', async () => {
      const queues = await connect();
      const payload = createPhaseMessage(7);
      await queues.send('tactical', payload);
      await queues.send('tactical', payload);
      await queues.send('tactical', { ...payload, version: 2 });
      expect((await queues.readDepths()).tactical.waiting).toBe(2);
      expect(await queues.has('tactical', `${payload.jobId}-7-v1-e0`)).toBe(true);
    });

    it('may contain any characters, and different ids stay different', async () => {
      const queues = await connect();
      const ids = [
        'a:b',
        'a:b:c',
        '42',
        '-42',
        '0',
        '0:1',
        '~42',
        'call/1',
        'ünïcödé',
        ' ',
        '\u0000',
        'x'.repeat(5_000),
        'x'.repeat(5_001),
      ];
      await queues.sendMany(ids.map((id) => ({ queue: 'tactical', payload: createPhaseMessage(), options: { id } })));
      expect((await queues.readDepths()).tactical.waiting).toBe(ids.length);
      for (const id of ids) expect(await queues.has('tactical', id)).toBe(true);
      expect(await queues.has('tactical', 'b:a')).toBe(false);
    });
  });
}
