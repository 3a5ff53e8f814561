import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { InvalidMessage } from '../queue-errors.js';
import { patience, message, type ContractStage } from './contract-stage.js';

/** How messages come: to whom, in which order, and under which id. Part of `queueContract`. */
export function deliveryContract(stage: ContractStage): void {
  const { connect, collect, untilEmpty, letters } = stage;

  describe('delivery', () => {
    it('hands over the payload and says what kind of delivery it is', async () => {
      const queues = await connect();
      const delivered = await collect(queues);
      const sent = { ...message(3), traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
      await queues.send('tactical', sent, { id: 'one' });
      await vi.waitFor(() => expect(delivered).toHaveLength(1), patience);
      expect(delivered[0]!.payload).toEqual(sent);
      expect(delivered[0]!.context).toMatchObject({
        messageId: 'one',
        attempt: 1,
        stalledBefore: false,
        enqueuedAt: expect.any(Number),
      });
      await untilEmpty(queues);
    });

    it('delivers to another process-like instance, each message once, whoever works', async () => {
      const [sender, first, second] = [await connect(), await connect(), await connect()];
      const seen = await Promise.all([first, second].map((queues) => collect(queues)));
      const sent = Array.from({ length: 40 }, (_, phase) => message(phase));
      await sender.sendMany(sent.map((payload) => ({ queue: 'tactical', payload })));
      await vi.waitFor(() => expect(seen.flat()).toHaveLength(40), patience);
      await untilEmpty(sender);
      expect(
        seen
          .flat()
          .map(({ payload }) => payload.phase)
          .toSorted((a, b) => a - b),
      ).toEqual(sent.map(({ phase }) => phase));
    });

    it('sends to several queues in one call, and nothing at all when one message is invalid', async () => {
      const queues = await connect();
      const tool = { jobId: randomUUID(), phase: 1, callId: 'call:1/ü', epoch: 0 };
      await queues.sendMany([
        { queue: 'tools', payload: tool },
        { queue: 'strategic', payload: message() },
        { queue: 'jobs', payload: { agent: 'creator' } },
      ]);
      const depths = await queues.depths();
      expect([depths.tools.waiting, depths.strategic.waiting, depths.jobs.waiting, depths.tactical.waiting]).toEqual([
        1, 1, 1, 0,
      ]);
      const wrong = queues.sendMany([
        { queue: 'tactical', payload: message() },
        { queue: 'tactical', payload: { ...message(), phase: -1 } },
      ]);
      await expect(wrong).rejects.toThrow(InvalidMessage);
      expect((await queues.depths()).tactical.waiting).toBe(0);
    });

    it('never runs more handlers at once than it was told', async () => {
      const queues = await connect();
      let running = 0;
      let most = 0;
      const delivered = await collect(
        queues,
        async () => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running--;
        },
        3,
      );
      await queues.sendMany(Array.from({ length: 30 }, () => ({ queue: 'tactical', payload: message() })));
      await vi.waitFor(() => expect(delivered).toHaveLength(30), patience);
      expect(most).toBe(3);
    });

    it('takes messages without a priority first, then low numbers, then high ones', async () => {
      const queues = await connect();
      for (const [phase, priority] of [
        [1, 9],
        [2, 2],
        [3, 0],
        [4, 9],
        [5, 0],
      ] as const)
        await queues.send('tactical', message(phase), { priority });
      const delivered = await collect(queues, () => {}, 1);
      await vi.waitFor(() => expect(delivered).toHaveLength(5), patience);
      expect(delivered.map(({ payload }) => payload.phase)).toEqual([3, 5, 2, 1, 4]);
    });

    it('holds a delayed message back while later ones pass, also by a fraction of a millisecond', async () => {
      const queues = await connect();
      const delivered = await collect(queues);
      await queues.send('tactical', message(1), { delayMs: 400.5 });
      expect((await queues.depths()).tactical.delayed).toBe(1);
      await queues.send('tactical', message(2));
      await vi.waitFor(() => expect(delivered).toHaveLength(2), patience);
      expect(delivered.map(({ payload }) => payload.phase)).toEqual([2, 1]);
    });
  });

  describe('a message id', () => {
    it('makes a second send a no-op while the first waits, is delayed or runs', async () => {
      const queues = await connect();
      const gate = Promise.withResolvers<void>();
      await queues.send('tactical', message(1), { id: 'same' });
      await Promise.all(Array.from({ length: 10 }, () => queues.send('tactical', message(2), { id: 'same' })));
      await queues.send('tactical', message(3), { id: 'later', delayMs: 60_000 });
      await queues.send('tactical', message(4), { id: 'later' });
      expect((await queues.depths()).tactical).toMatchObject({ waiting: 1, delayed: 1 });
      const delivered = await collect(queues, () => gate.promise);
      await vi.waitFor(() => expect(delivered).toHaveLength(1), patience);
      await queues.send('tactical', message(5), { id: 'same' });
      expect((await queues.depths()).tactical).toMatchObject({ waiting: 0, active: 1 });
      gate.resolve();
      await vi.waitFor(async () => expect((await queues.depths()).tactical.active).toBe(0), patience);
      expect(delivered.map(({ payload }) => payload.phase)).toEqual([1]);
    });

    it('may be used again as soon as its message has ended, well or badly', async () => {
      const queues = await connect();
      const delivered = await collect(queues, ({ payload }) => {
        if (payload.phase === 2) throw Object.assign(new Error('no'), { retryable: false });
      });
      for (const phase of [1, 2, 3]) {
        await queues.send('tactical', message(phase), { id: 'again' });
        await vi.waitFor(() => expect(delivered).toHaveLength(phase), patience);
        await untilEmpty(queues);
        expect(await queues.has('tactical', 'again')).toBe(false);
      }
      expect(delivered.map(({ payload }) => payload.phase)).toEqual([1, 2, 3]);
      expect(letters).toHaveLength(1);
    });

    it('comes from the payload when none is given, so that the same work is not queued twice', async () => {
      const queues = await connect();
      const payload = message(7);
      await queues.send('tactical', payload);
      await queues.send('tactical', payload);
      await queues.send('tactical', { ...payload, version: 2 });
      expect((await queues.depths()).tactical.waiting).toBe(2);
      expect(await queues.has('tactical', `${payload.jobId}-7-1-0`)).toBe(true);
    });

    it('may hold any characters, and different ids stay different', async () => {
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
      await queues.sendMany(ids.map((id) => ({ queue: 'tactical', payload: message(), options: { id } })));
      expect((await queues.depths()).tactical.waiting).toBe(ids.length);
      for (const id of ids) expect(await queues.has('tactical', id)).toBe(true);
      expect(await queues.has('tactical', 'b:a')).toBe(false);
    });
  });
}
