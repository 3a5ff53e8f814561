import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import type { DeliveryContext } from '../handler.js';
import { LockLost } from '../queue-errors.js';
import {
  WAIT_OPTIONS,
  SHORT_TUNING,
  SHORT_BACKOFF,
  createPhaseMessage,
  type ContractContext,
} from './contract-context.js';

/** Handling of messages whose handler fails or whose process dies. Part of `queueContract`. */
export function failureContract(stage: ContractContext): void {
  const { connect, collect, spawnWorker, waitUntilEmpty, deadLetters, errors } = stage;

  describe('a failing handler', () => {
    it('is retried after a wait, counting attempts', async () => {
      const queues = await connect({ policies: { tactical: { backoff: SHORT_BACKOFF } } });
      const delivered = await collect(queues, ({ context }) => {
        if (context.attempt < 3) throw new Error('not yet');
      });
      await queues.send('tactical', createPhaseMessage());
      await vi.waitFor(() => expect(delivered).toHaveLength(3), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
      expect(delivered.map(({ context }) => context.attempt)).toEqual([1, 2, 3]);
      expect(delivered.map(({ context }) => context.isRedelivered)).toEqual([false, true, true]);
      expect(deadLetters).toEqual([]);
    });

    it('produces a dead letter with the last reason when all attempts have failed', async () => {
      const queues = await connect({ policies: { tactical: { attempts: 3, backoff: SHORT_BACKOFF } } });
      const payload = createPhaseMessage();
      const delivered = await collect(queues, ({ context }) => {
        throw Object.assign(new Error(`failure ${context.attempt}`), { code: 'event_store_away' });
      });
      await queues.send('tactical', payload, { id: 'doomed' });
      await vi.waitFor(() => expect(deadLetters).toHaveLength(1), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
      expect(delivered).toHaveLength(3);
      expect(deadLetters[0]).toMatchObject({
        queue: 'tactical',
        messageId: 'doomed',
        kind: 'exhausted',
        reason: 'failure 3',
        code: 'event_store_away',
        attempts: 3,
        payload,
      });
    });

    it('is not retried when its error is not retryable', async () => {
      const queues = await connect();
      const delivered = await collect(queues, () => {
        throw Object.assign(new Error('unknown agent'), { retryable: false });
      });
      await queues.send('tactical', createPhaseMessage());
      await vi.waitFor(() => expect(deadLetters).toHaveLength(1), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
      expect(delivered).toHaveLength(1);
      expect(deadLetters[0]).toMatchObject({ kind: 'not-retryable', reason: 'unknown agent', attempts: 1 });
    });

    it('has its message kept until the dead letter is stored', async () => {
      const refusals = [new Error('database away'), new Error('still away')];
      const queues = await connect({
        onDeadLetter: async (deadLetter) => {
          const refusal = refusals.shift();
          if (refusal) throw refusal;
          deadLetters.push(deadLetter);
        },
      });
      await collect(queues, () => {
        throw Object.assign(new Error('not retryable'), { retryable: false });
      });
      await queues.send('tactical', createPhaseMessage(), { id: 'kept' });
      await vi.waitFor(() => expect(deadLetters).toHaveLength(1), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
      expect(deadLetters[0]!.messageId).toBe('kept');
      expect(errors.map(({ cause }) => (cause as Error | undefined)?.message)).toEqual(['database away', 'still away']);
    });

    it('that postpones its message receives it again, without using up an attempt or counting as stalled', async () => {
      const queues = await connect();
      const delivered = await collect(queues, () =>
        delivered.length < 3 ? { retryAt: Date.now() + 30.5 } : undefined,
      );
      await queues.send('tactical', createPhaseMessage());
      await vi.waitFor(() => expect(delivered).toHaveLength(3), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
      expect(delivered.map(({ context }) => [context.attempt, context.isRedelivered])).toEqual([
        [1, false],
        [1, false],
        [1, false],
      ]);
    });
  });

  describe('a worker that dies', () => {
    it('has its message delivered to another worker, whose context says so', async () => {
      const queues = await connect();
      const victim = await spawnWorker('hang');
      await queues.send('tactical', createPhaseMessage(5), { id: 'orphan' });
      await victim.waitForEvent('started');
      await victim.kill();
      const delivered = await collect(queues);
      await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
      expect(delivered[0]!.payload.phase).toBe(5);
      expect(delivered[0]!.context).toMatchObject({ messageId: 'orphan', attempt: 1, isRedelivered: true });
      await waitUntilEmpty(queues);
    });

    it('makes the message a dead letter when this happens too often', async () => {
      const queues = await connect({ policies: { tactical: { maxStalls: 0 } } });
      const victim = await spawnWorker('hang');
      await queues.send('tactical', createPhaseMessage(), { id: 'poison' });
      await victim.waitForEvent('started');
      await victim.kill();
      const delivered = await collect(queues);
      await vi.waitFor(() => expect(deadLetters).toHaveLength(1), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
      expect(delivered).toEqual([]);
      expect(deadLetters[0]).toMatchObject({ messageId: 'poison', kind: 'stalled' });
    });

    it('between storing a dead letter and removing its message causes the dead letter to be stored again', async () => {
      const queues = await connect();
      const victim = await spawnWorker('die-after-dead-letter');
      await queues.send('tactical', createPhaseMessage(), { id: 'twice' });
      const first = await victim.waitForEvent('dead-letter');
      await victim.exited;
      await collect(queues, () => {
        throw Object.assign(new Error('not retryable'), { retryable: false });
      });
      await vi.waitFor(() => expect(deadLetters).toHaveLength(1), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
      expect(deadLetters[0]).toMatchObject({
        queue: first.queue,
        messageId: first.messageId,
        enqueuedAt: first.enqueuedAt,
      });
    });

    it('and comes back has its signal aborted, because another worker has the message', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'phaseline-queue-'));
      const thaw = join(directory, 'thaw');
      const queues = await connect();
      const frozen = await spawnWorker('freeze', { CHILD_FREEZE_UNTIL: thaw });
      await queues.send('tactical', createPhaseMessage());
      await frozen.waitForEvent('started');
      const gate = Promise.withResolvers<void>();
      const delivered = await collect(queues, () => gate.promise);
      await vi.waitFor(() => expect(delivered).toHaveLength(1), WAIT_OPTIONS);
      expect(delivered[0]!.context.isRedelivered).toBe(true);
      writeFileSync(thaw, '');
      expect(await frozen.waitForEvent('aborted')).toMatchObject({ reason: LockLost.name });
      gate.resolve();
      await waitUntilEmpty(queues);
      expect(delivered).toHaveLength(1);
      await rm(directory, { recursive: true });
    });
  });

  it('a message redelivered to the process that lost it aborts the old handler and stays with the new one', async () => {
    const queues = await connect();
    const foreign = await stage.place.connectForeignProducer();
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const contexts: DeliveryContext[] = [];
    await queues.work('jobs', async (_, context) => {
      contexts.push(context);
      await gates[contexts.length - 1]?.promise;
    });
    await queues.send('jobs', { agent: 'creator' }, { id: 'lost' });
    await vi.waitFor(() => expect(contexts).toHaveLength(1), WAIT_OPTIONS);
    // Token 0 bypasses the lock. A worker that finds the message stalled does the same.
    await (await foreign.queue.getJob('lost'))!.moveToWait('0');
    await vi.waitFor(() => expect(contexts).toHaveLength(2), WAIT_OPTIONS);
    expect(contexts[0]!.signal.reason).toBeInstanceOf(LockLost);
    gates[0]!.resolve();
    await new Promise((resolve) => setTimeout(resolve, 2 * SHORT_TUNING.lockMs));
    expect(contexts).toHaveLength(2);
    expect(contexts[1]!.signal.aborted).toBe(false);
    gates[1]!.resolve();
    await waitUntilEmpty(queues);
    await foreign.close();
  });
}
