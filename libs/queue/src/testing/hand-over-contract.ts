import { randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { NEVER, SHORT_BACKOFF, WAIT_OPTIONS, createPhaseMessage, type ContractContext } from './contract-context.js';

const HAND_OVER = { handOver: {} };

/** Messages that processes hand over to each other. Part of `queueContract`. */
export function handOverContract(stage: ContractContext): void {
  const { connect, collect, waitUntilEmpty, errors } = stage;

  describe('handing over', () => {
    it('gives a message to a process that serves the queue, without the queue', async () => {
      const [sender, receiver] = [await connect({ processId: 'sender' }), await connect({ processId: 'receiver' })];
      const delivered = await collect(receiver);
      await untilKnown(async (phase) => sender.send('tactical', createPhaseMessage(phase), HAND_OVER), delivered);
      const before = delivered.length;
      for (let phase = 1; phase <= 10; phase += 1) {
        await sender.send('tactical', createPhaseMessage(phase), HAND_OVER);
        await vi.waitFor(() => expect(delivered).toHaveLength(before + phase), WAIT_OPTIONS);
      }
      expect(delivered.slice(before).every(({ context }) => context.isHandedOver)).toBe(true);
      expect(delivered.at(-1)!.context).toMatchObject({ attempt: 1, isRedelivered: false, stalledCount: 0 });
      await waitUntilEmpty(sender);
      expect(errors).toEqual([]);
    });

    it('gives it to the process that is named, and puts it into the queue if nobody knows that one', async () => {
      const sender = await connect({ processId: 'sender' });
      const seen = [];
      for (const processId of ['first', 'second']) seen.push(await collect(await connect({ processId })));
      const [first, second] = seen as [(typeof seen)[number], (typeof seen)[number]];
      const sendTo = (to: string) => sender.send('tactical', createPhaseMessage(), { handOver: { to } });
      await untilKnown(() => sendTo('second'), second);
      const before = [first.length, second.length];
      for (let n = 1; n <= 5; n += 1) {
        await sendTo('second');
        await vi.waitFor(() => expect(second).toHaveLength(before[1]! + n), WAIT_OPTIONS);
      }
      expect(first).toHaveLength(before[0]!);
      await sendTo('unknown');
      await vi.waitFor(() => expect(first.length + second.length).toBe(before[0]! + before[1]! + 6), WAIT_OPTIONS);
    });

    it('gives the receiver what is enclosed, and no one else can read it', async () => {
      const sealing = { secret: randomBytes(32), format: '1' };
      const sender = await connect({ processId: 'sender', sealing });
      const delivered = await collect(await connect({ processId: 'receiver', sealing }));
      const send = (options: object) =>
        sender.send('tactical', createPhaseMessage(), { handOver: { to: 'receiver', ...options } });
      await untilKnown(() => send({}), delivered);
      await send({ enclosed: { version: 7, text: 'Zwyn' } });
      await vi.waitFor(
        () => expect(delivered.at(-1)!.context.enclosed).toEqual({ version: 7, text: 'Zwyn' }),
        WAIT_OPTIONS,
      );

      const given = vi.fn(async () => undefined);
      const handOver = (to: string, enclosed: unknown) =>
        sender.handOver('tactical', createPhaseMessage(9), { to, enclosed, otherwise: given });
      expect(await handOver('receiver', { end: 1 })).toBe(true);
      await vi.waitFor(() => expect(delivered.at(-1)).toMatchObject({ payload: { phase: 9 } }), WAIT_OPTIONS);
      expect(delivered.at(-1)!.context.enclosed).toEqual({ end: 1 });
      // What cannot be sent is not offered, as the message is worth nothing without it.
      expect(await handOver('receiver', 'x'.repeat(100_000))).toBe(false);
      expect(await handOver('unknown', { end: 1 })).toBe(false);
      await waitUntilEmpty(sender);
      expect(given).not.toHaveBeenCalled();
      expect(errors).toEqual([]);
    });

    it('leaves out what is enclosed where the secret or the format is another one, both are missing, or the text is too long', async () => {
      const own = { secret: randomBytes(32), format: '1' };
      const sender = await connect({ processId: 'sender', sealing: own });
      for (const [processId, sealing] of [
        ['strange', { ...own, secret: randomBytes(32) }],
        ['newer', { ...own, format: '2' }],
        ['without', undefined],
        ['same', own],
      ] as const) {
        const delivered = await collect(await connect({ processId, sealing }));
        const send = (enclosed: unknown) =>
          sender.send('tactical', createPhaseMessage(), { handOver: { to: processId, enclosed } });
        await untilKnown(() => send(undefined), delivered);
        const before = delivered.length;
        await send(processId === 'same' ? 'x'.repeat(100_000) : { version: 7 });
        await vi.waitFor(() => expect(delivered).toHaveLength(before + 1), WAIT_OPTIONS);
        expect(delivered.at(-1)!.context).toMatchObject({ isHandedOver: true });
        expect(delivered.at(-1)!.context.enclosed).toBeUndefined();
        const otherwise = async () => undefined;
        const handedOver = { to: processId, enclosed: { version: 7 }, otherwise };
        expect(await sender.handOver('tactical', createPhaseMessage(), handedOver)).toBe(processId === 'same');
      }
      expect(errors).toEqual([]);
    });

    it('calls the sender back when nobody takes what is enclosed, also when it closes', async () => {
      const sealing = { secret: randomBytes(32), format: '1' };
      const sender = await connect({ processId: 'sender', sealing });
      const receiver = await connect({ processId: 'receiver', sealing });
      const delivered = await collect(receiver);
      await untilKnown(
        () => sender.send('tactical', createPhaseMessage(), { handOver: { to: 'receiver' } }),
        delivered,
      );
      receiver.pause();
      const given = vi.fn(async () => undefined);
      const handOver = () =>
        sender.handOver('tactical', createPhaseMessage(9), { to: 'receiver', enclosed: { end: 1 }, otherwise: given });
      expect(await handOver()).toBe(true);
      await vi.waitFor(() => expect(given).toHaveBeenCalledOnce(), WAIT_OPTIONS);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await handOver()).toBe(true);
      await sender.close(3_000);
      expect(given).toHaveBeenCalledTimes(2);
      expect(await handOver()).toBe(false);
      expect(delivered.every(({ payload }) => payload.phase !== 9)).toBe(true);
    });

    it('puts a message into the queue when the process is busy or paused', async () => {
      const [sender, receiver] = [await connect({ processId: 'sender' }), await connect({ processId: 'receiver' })];
      const gate = Promise.withResolvers<void>();
      let isGated = false;
      const delivered = await collect(receiver, () => (isGated ? gate.promise : undefined), 1);
      await untilKnown(() => sender.send('tactical', createPhaseMessage(), HAND_OVER), delivered);
      isGated = true;
      const before = delivered.length;
      await sender.send('tactical', createPhaseMessage(1), HAND_OVER);
      await vi.waitFor(() => expect(delivered).toHaveLength(before + 1), WAIT_OPTIONS);
      await sender.send('tactical', createPhaseMessage(2), HAND_OVER);
      await vi.waitFor(async () => {
        const { waiting, active } = (await sender.readDepths()).tactical;
        expect(waiting + active).toBe(1);
      }, WAIT_OPTIONS);
      receiver.pause();
      gate.resolve();
      isGated = false;
      await new Promise((resolve) => setTimeout(resolve, 100));
      await sender.send('tactical', createPhaseMessage(3), HAND_OVER);
      await vi.waitFor(async () => {
        const { waiting, active } = (await sender.readDepths()).tactical;
        expect(waiting + active).toBeGreaterThan(0);
      }, WAIT_OPTIONS);
      receiver.resume();
      await vi.waitFor(() => expect(delivered).toHaveLength(before + 3), WAIT_OPTIONS);
      expect(delivered.slice(before + 1).map(({ context }) => context.isHandedOver)).toEqual([false, false]);
    });

    it('takes as many messages from the queue as before when what was handed over has ended', async () => {
      const [sender, receiver] = [await connect({ processId: 'sender' }), await connect({ processId: 'receiver' })];
      const gate = Promise.withResolvers<void>();
      let isGated = false;
      const delivered = await collect(receiver, () => (isGated ? gate.promise : undefined), 2);
      await untilKnown(() => sender.send('tactical', createPhaseMessage(), HAND_OVER), delivered);
      await waitUntilEmpty(sender);
      isGated = true;
      const before = delivered.length;
      for (const phase of [1, 2]) await sender.send('tactical', createPhaseMessage(phase));
      await vi.waitFor(() => expect(delivered).toHaveLength(before + 2), WAIT_OPTIONS);
      gate.resolve();
      await waitUntilEmpty(sender);
    });

    it('puts a message into the queue that its handler postpones or fails', async () => {
      const sender = await connect({ processId: 'sender' });
      const receiver = await connect({ processId: 'receiver', policies: { tactical: { backoff: SHORT_BACKOFF } } });
      const delivered = await collect(receiver, ({ payload, context }) => {
        if (!context.isHandedOver) return undefined;
        if (payload.phase === 1) return { retryAt: Date.now() + 50 };
        if (payload.phase === 2) throw new Error('not this time');
        return undefined;
      });
      await untilKnown(() => sender.send('tactical', createPhaseMessage(), HAND_OVER), delivered, 0);
      const before = delivered.length;
      await sender.send('tactical', createPhaseMessage(1), HAND_OVER);
      await sender.send('tactical', createPhaseMessage(2), HAND_OVER);
      await vi.waitFor(() => {
        const again = delivered.slice(before).filter(({ context }) => !context.isHandedOver);
        expect(new Set(again.map(({ payload }) => payload.phase))).toEqual(new Set([1, 2]));
      }, WAIT_OPTIONS);
      expect(errors.map(({ message }) => message)).toContain('not this time');
    });

    it('leaves a message in the queue for others when the process closes, and tells them that it serves nothing', async () => {
      const [sender, receiver] = [await connect({ processId: 'sender' }), await connect({ processId: 'receiver' })];
      const delivered = await collect(receiver, async ({ payload, context }) => {
        if (payload.phase !== 7) return;
        await Promise.race([NEVER, new Promise((resolve) => context.signal.addEventListener('abort', resolve))]);
        context.signal.throwIfAborted();
      });
      await untilKnown(() => sender.send('tactical', createPhaseMessage(), HAND_OVER), delivered);
      await sender.send('tactical', createPhaseMessage(7), HAND_OVER);
      await vi.waitFor(() => expect(delivered.at(-1)!.payload.phase).toBe(7), WAIT_OPTIONS);
      expect(await receiver.close(3_000)).toEqual({ clean: true, abandoned: [] });
      const later = await collect(await connect({ processId: 'later' }));
      await vi.waitFor(() => expect(later.map(({ payload }) => payload.phase)).toEqual([7]), WAIT_OPTIONS);
    });
  });
}

/** Sends messages until the sender knows the receiver and hands one over. */
async function untilKnown(
  send: (phase: number) => Promise<void>,
  delivered: readonly { readonly context: { readonly isHandedOver: boolean } }[],
  phase = 0,
): Promise<void> {
  await vi.waitFor(async () => {
    const before = delivered.length;
    await send(phase);
    // Until it is known, the message may go to another process through the queue.
    await vi.waitFor(() => expect(delivered.length).toBeGreaterThan(before), { timeout: 500, interval: 10 });
    expect(delivered.at(-1)!.context.isHandedOver).toBe(true);
  }, WAIT_OPTIONS);
}
