import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { QueueUnavailable } from '../queue-errors.js';
import { WAIT_OPTIONS, createPhaseMessage, NEVER, type ContractContext } from './contract-context.js';
import type { StoppableQueueFixture } from './harness.js';

/** Behaviour of senders and workers while the server is down, for backends that can be stopped. Part of `queueContract`. */
export function outageContract(stage: ContractContext): void {
  const { connect, collect, waitUntilEmpty, deadLetters, errors, open } = stage;

  const { createStoppableFixture } = stage.harness;
  describe.skipIf(createStoppableFixture === undefined)(
    'when the server is down (needs a server that can be stopped)',
    () => {
      let stoppable: StoppableQueueFixture;

      beforeEach(async () => {
        stoppable = await createStoppableFixture!();
      });

      afterEach(async () => {
        await Promise.all(open.splice(0).map((queues) => queues.close(3_000)));
        await stoppable.dispose();
      });

      it(
        'sends fail, and workers resume by themselves with waiting and active messages',
        { timeout: 60_000 },
        async () => {
          const queues = await connect({}, stoppable);
          const gate = Promise.withResolvers<void>();
          const delivered = await collect(queues, ({ payload }) => (payload.phase === 1 ? gate.promise : undefined), 2);
          await queues.send('tactical', createPhaseMessage(1));
          await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
          await queues.send('tactical', createPhaseMessage(2), { delayMs: 1_000 });
          await stoppable.stop();
          await expect(queues.send('tactical', createPhaseMessage(3))).rejects.toThrow(QueueUnavailable);
          await stoppable.start();
          await vi.waitFor(() => queues.send('tactical', createPhaseMessage(4)), WAIT_OPTIONS);
          gate.resolve();
          await vi.waitFor(
            () => expect(new Set(delivered.map(({ payload }) => payload.phase))).toEqual(new Set([1, 2, 4])),
            WAIT_OPTIONS,
          );
          await waitUntilEmpty(queues);
          expect(deadLetters).toEqual([]);
          // Reported once, although several connections and attempts noticed the outage.
          const reported = errors.filter((error) => error instanceof QueueUnavailable);
          expect(reported.map(({ message: text }) => text)).toEqual([expect.any(String)]);
        },
      );

      it(
        'acknowledges the message of a handler that ended meanwhile once it is back',
        { timeout: 60_000 },
        async () => {
          const queues = await connect({}, stoppable);
          const gate = Promise.withResolvers<void>();
          const delivered = await collect(queues, () => gate.promise, 1);
          await queues.send('tactical', createPhaseMessage(1));
          await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
          await stoppable.stop();
          gate.resolve();
          await new Promise((resolve) => setTimeout(resolve, 300));
          await stoppable.start();
          await waitUntilEmpty(queues);
          await vi.waitFor(() => queues.send('tactical', createPhaseMessage(2)), WAIT_OPTIONS);
          await vi.waitFor(() => expect(delivered.some(({ payload }) => payload.phase === 2)).toBe(true), WAIT_OPTIONS);
        },
      );

      it('close still returns in time', { timeout: 60_000 }, async () => {
        const queues = await connect({}, stoppable);
        const delivered = await collect(queues, () => NEVER);
        await queues.send('tactical', createPhaseMessage());
        await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
        await stoppable.stop();
        expect(await queues.close(1_000)).toMatchObject({ clean: false });
      });

      it('createQueues waits for it, and fails with a clear error after the timeout', { timeout: 60_000 }, async () => {
        await stoppable.stop();
        await expect(connect({ startTimeoutMs: 300 }, stoppable)).rejects.toThrow(/failed while connecting/);
        const starting = connect({ startTimeoutMs: 30_000 }, stoppable);
        await stoppable.start();
        const queues = await starting;
        const delivered = await collect(queues);
        await queues.send('tactical', createPhaseMessage());
        await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
      });
    },
  );
}
