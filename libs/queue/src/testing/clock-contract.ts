import { describe, expect, it, vi } from 'vitest';
import { createPhaseMessage, WAIT_OPTIONS, SHORT_TUNING, type ContractContext } from './contract-context.js';
import { startChild } from './start-child.js';

const TEN_MINUTES = 600_000;

/** A process whose clock is wrong does not affect the others. Part of `queueContract`. */
export function clockContract(stage: ContractContext): void {
  const { connect, collect, spawnWorker, waitUntilEmpty } = stage;

  describe.each([
    ['ahead', TEN_MINUTES],
    ['behind', -TEN_MINUTES],
  ])('a worker whose clock is ten minutes %s', (_, aheadMs) => {
    const clock = { CHILD_CLOCK_AHEAD_MS: String(aheadMs) };

    it('does not keep the others from recovering the messages of dead workers', async () => {
      const victim = await spawnWorker('hang');
      const queues = await connect();
      await queues.send('tactical', createPhaseMessage(5), { id: 'orphan' });
      await victim.waitForEvent('started');
      // While the process runs, it also checks for stalled messages and records the time of its check.
      const wrong = await spawnWorker('hang', clock);
      await new Promise((resolve) => setTimeout(resolve, 3 * SHORT_TUNING.stalledCheckMs));
      await wrong.kill();
      await victim.kill();
      const delivered = await collect(queues);
      await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
      expect(delivered[0]!.context).toMatchObject({ messageId: 'orphan', isRedelivered: true });
      await waitUntilEmpty(queues);
    });

    it('has its message recovered when it dies', async () => {
      const queues = await connect();
      const wrong = await spawnWorker('hang', clock);
      await queues.send('tactical', createPhaseMessage(6), { id: 'orphan' });
      await wrong.waitForEvent('started');
      await wrong.kill();
      const delivered = await collect(queues);
      await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
    });

    it('keeps the message that it is handling', async () => {
      const queues = await connect();
      const wrong = await spawnWorker('hang', clock);
      await queues.send('tactical', createPhaseMessage(7));
      await wrong.waitForEvent('started');
      const delivered = await collect(queues);
      await new Promise((resolve) => setTimeout(resolve, 3 * SHORT_TUNING.lockMs + 2 * SHORT_TUNING.stalledCheckMs));
      expect(delivered).toEqual([]);
      await wrong.kill();
      await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
    });

    it('takes a delayed message when it is due, neither sooner nor later', async () => {
      const queues = await connect();
      const wrong = await spawnWorker('hang', clock);
      const sent = performance.now();
      await queues.send('tactical', createPhaseMessage(8), { delayMs: 1_500 });
      await new Promise((resolve) => setTimeout(resolve, 700));
      expect(await queues.readDepths()).toMatchObject({ tactical: { delayed: 1, active: 0 } });
      await wrong.waitForEvent('started');
      expect(performance.now() - sent).toBeGreaterThanOrEqual(1_400);
      await wrong.kill();
      await collect(queues);
      await waitUntilEmpty(queues);
    });
  });

  it('a sender whose clock is wrong delays messages by the requested time', async () => {
    const queues = await connect();
    const delivered = await collect(queues);
    for (const aheadMs of [TEN_MINUTES, -TEN_MINUTES]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs });
      try {
        await queues.send('tactical', createPhaseMessage(), { delayMs: 300 });
      } finally {
        vi.useRealTimers();
      }
    }
    expect(delivered).toEqual([]);
    await vi.waitFor(() => expect(delivered).toHaveLength(2), WAIT_OPTIONS);
    await waitUntilEmpty(queues);
  });

  it('a message whose lock expired 30 s ago is missing and can be recovered', async () => {
    // No worker checks for stalled messages.
    const victim = await startChild({
      config: stage.place.config,
      tuning: { lockMs: 1_000, stalledCheckMs: 600_000 },
      behaviour: 'hang',
    });
    stage.children.push(victim);
    const queues = await connect();
    await queues.send('tactical', createPhaseMessage(9), { id: 'lost' });
    await victim.waitForEvent('started');
    await stage.place.expireLock('tactical', 'lost', 1_000);
    expect(await queues.recoverStalled()).toBe(0);
    expect(await queues.has('tactical', 'lost')).toBe(true);
    await victim.kill();
    await stage.place.expireLock('tactical', 'lost', 31_000);
    expect(await queues.has('tactical', 'lost')).toBe(false);
    expect(await queues.recoverStalled()).toBe(1);
    expect(await queues.has('tactical', 'lost')).toBe(true);
    expect(await queues.readDepths()).toMatchObject({ tactical: { waiting: 1, active: 0 } });
  });
}
