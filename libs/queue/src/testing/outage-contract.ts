import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { QueueUnavailable } from '../queue-errors.js';
import { patience, message, never, type ContractStage } from './contract-stage.js';
import type { StoppablePlace } from './harness.js';

/** What senders and workers do while the server is away, on backends that can be stopped. Part of `queueContract`. */
export function outageContract(stage: ContractStage): void {
  const { connect, collect, untilEmpty, letters, errors, open } = stage;

  const { stoppablePlace } = stage.harness;
  describe.skipIf(stoppablePlace === undefined)('when the server goes away (needs one of our own)', () => {
    let stoppable: StoppablePlace;

    beforeEach(async () => {
      stoppable = await stoppablePlace!();
    });

    afterEach(async () => {
      await Promise.all(open.splice(0).map((queues) => queues.close(3_000)));
      await stoppable.dispose();
    });

    it(
      'senders are told, and workers take up again by themselves what waited and what they had',
      { timeout: 60_000 },
      async () => {
        const queues = await connect({}, stoppable);
        const gate = Promise.withResolvers<void>();
        const delivered = await collect(queues, ({ payload }) => (payload.phase === 1 ? gate.promise : undefined), 2);
        await queues.send('tactical', message(1));
        await vi.waitFor(() => expect(delivered).toHaveLength(1), patience);
        await queues.send('tactical', message(2), { delayMs: 1_000 });
        await stoppable.stop();
        await expect(queues.send('tactical', message(3))).rejects.toThrow(QueueUnavailable);
        await stoppable.start();
        await vi.waitFor(() => queues.send('tactical', message(4)), patience);
        gate.resolve();
        await vi.waitFor(
          () => expect(new Set(delivered.map(({ payload }) => payload.phase))).toEqual(new Set([1, 2, 4])),
          patience,
        );
        await untilEmpty(queues);
        expect(letters).toEqual([]);
        // Told once, however many connections and attempts noticed.
        const told = errors.filter((error) => error instanceof QueueUnavailable);
        expect(told.map(({ message: text }) => text)).toEqual([expect.any(String)]);
      },
    );

    it('a handler that ends while it is away has its message ended when it is back', { timeout: 60_000 }, async () => {
      const queues = await connect({}, stoppable);
      const gate = Promise.withResolvers<void>();
      const delivered = await collect(queues, () => gate.promise, 1);
      await queues.send('tactical', message(1));
      await vi.waitFor(() => expect(delivered).toHaveLength(1), patience);
      await stoppable.stop();
      gate.resolve();
      await new Promise((resolve) => setTimeout(resolve, 300));
      await stoppable.start();
      await untilEmpty(queues);
      await vi.waitFor(() => queues.send('tactical', message(2)), patience);
      await vi.waitFor(() => expect(delivered.some(({ payload }) => payload.phase === 2)).toBe(true), patience);
    });

    it('close is still bounded', { timeout: 60_000 }, async () => {
      const queues = await connect({}, stoppable);
      const delivered = await collect(queues, () => never);
      await queues.send('tactical', message());
      await vi.waitFor(() => expect(delivered).toHaveLength(1), patience);
      await stoppable.stop();
      expect(await queues.close(1_000)).toMatchObject({ clean: false });
    });

    it('whoever starts meanwhile waits for it, and gives up with a plain error', { timeout: 60_000 }, async () => {
      await stoppable.stop();
      await expect(connect({ startTimeoutMs: 300 }, stoppable)).rejects.toThrow(/failed while connecting/);
      const starting = connect({ startTimeoutMs: 30_000 }, stoppable);
      await stoppable.start();
      const queues = await starting;
      const delivered = await collect(queues);
      await queues.send('tactical', message());
      await vi.waitFor(() => expect(delivered).toHaveLength(1), patience);
    });
  });
}
