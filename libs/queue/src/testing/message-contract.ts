import { randomUUID } from 'node:crypto';
import type { ParsedSubmitRequest, JobId } from '@phaseline/contracts';
import { describe, expect, it, vi } from 'vitest';
import { InvalidMessage } from '../queue-errors.js';
import type { Queues } from '../queues.js';
import { WAIT_OPTIONS, SHORT_BACKOFF, createPhaseMessage, type ContractContext } from './contract-context.js';

/** Validation of messages, and delivery of timers. Part of `queueContract`. */
export function messageContract(stage: ContractContext): void {
  const { connect, waitUntilEmpty, deadLetters } = stage;

  describe('a message that does not match the contract', () => {
    it('is rejected before it is sent, with an error that names the field', async () => {
      const queues = await connect();
      await expect(queues.send('tactical', { ...createPhaseMessage(), jobId: 'not-a-uuid' })).rejects.toMatchObject({
        code: 'queue_invalid_message',
        message: expect.stringContaining('jobId'),
      });
      await expect(queues.send('tactical', createPhaseMessage(), { delayMs: -1 })).rejects.toThrow(InvalidMessage);
      await expect(queues.send('tactical', createPhaseMessage(), { delayMs: Number.NaN })).rejects.toThrow(
        InvalidMessage,
      );
      await expect(queues.send('tactical', createPhaseMessage(), { priority: 1.5 })).rejects.toThrow(InvalidMessage);
      await expect(queues.send('tactical', createPhaseMessage(), { id: '' })).rejects.toThrow(InvalidMessage);
      await waitUntilEmpty(queues);
    });

    it('becomes a dead letter when a foreign producer sends it; the handler never receives it and the worker continues', async () => {
      const queues = await connect();
      const handled: ParsedSubmitRequest[] = [];
      await queues.work('jobs', async (job) => void handled.push(job));
      const foreign = await stage.place.connectForeignProducer();
      await foreign.queue.add('whatever', { agent: '', nested: ['kept'] }, { attempts: 5 });
      await foreign.queue.add('text', 'not an object');
      await foreign.queue.add('nothing', null);
      await foreign.queue.add('good', { agent: 'creator' });
      await vi.waitFor(() => expect([deadLetters.length, handled.length]).toEqual([3, 1]), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
      await foreign.close();
      const [first] = deadLetters.filter(({ messageName }) => messageName === 'whatever');
      expect(first).toMatchObject({
        queue: 'jobs',
        kind: 'unparsable',
        attempts: 1,
        payload: { agent: '', nested: ['kept'] },
        enqueuedAt: expect.any(Number),
      });
      expect(first!.reason).toContain('agent');
      expect(handled).toEqual([{ agent: 'creator' }]);
    });

    it('has text that a database cannot store cleaned, in payloads and in reasons', async () => {
      const queues = await connect({ policies: { jobs: { attempts: 2, backoff: SHORT_BACKOFF } } });
      const handled: ParsedSubmitRequest[] = [];
      await queues.work('jobs', async (job) => {
        handled.push(job);
        throw new Error(`bad\u0000 text \ud800 ${'x'.repeat(10_000)}`);
      });
      await queues.send('jobs', { agent: 'crea\u0000tor', instructions: 'half a pair: \udfff' });
      await vi.waitFor(() => expect(deadLetters).toHaveLength(1), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
      expect(handled[0]).toEqual({ agent: 'crea\ufffdtor', instructions: 'half a pair: \ufffd' });
      expect(deadLetters[0]!.reason).toMatch(/^bad\ufffd text \ufffd x{100,2000}$/);
    });
  });

  describe('a timer', () => {
    const timer = (name = 'deadline'): { jobId: JobId; timer: string } => ({ jobId: randomUUID(), timer: name });

    async function collectTimers(queues: Queues): Promise<string[]> {
      const names: string[] = [];
      await queues.work('timers', async (message) => void names.push(message.timer));
      return names;
    }

    it('is delivered when its delay is over, in the order of due times; an overdue one at once', async () => {
      const queues = await connect();
      await queues.send('timers', timer('later'), { delayMs: 700 });
      await queues.send('timers', timer('sooner'), { delayMs: 350 });
      await queues.send('timers', timer('overdue'), { delayMs: 0 });
      expect((await queues.readDepths()).timers).toMatchObject({ waiting: 1, delayed: 2 });
      const names = await collectTimers(queues);
      await vi.waitFor(() => expect(names).toEqual(['overdue', 'sooner', 'later']), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
    });

    it('is set once per job and name, and keeps its first due time', async () => {
      const queues = await connect();
      const message = timer();
      await queues.send('timers', message, { delayMs: 60_000 });
      await Promise.all([1, 2, 3].map((ms) => queues.send('timers', message, { delayMs: ms })));
      await queues.send('timers', { ...message, timer: 'backoff-1' }, { delayMs: 60_000 });
      const names = await collectTimers(queues);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(names).toEqual([]);
      expect((await queues.readDepths()).timers).toMatchObject({ waiting: 0, delayed: 2 });
    });

    it('that is handled too early is postponed until it is due, and keeps its id', async () => {
      const queues = await connect();
      const message = timer();
      const dueAt = Date.now() + 400;
      const seen: number[] = [];
      await queues.work('timers', async () => {
        seen.push(Date.now());
        // Setting the timer again, as the orchestrator does, has no effect while its message is active.
        await queues.send('timers', message, { delayMs: Math.max(0, dueAt - Date.now()) });
        return Date.now() < dueAt ? { retryAt: dueAt } : undefined;
      });
      await queues.send('timers', message, { delayMs: 1 });
      await vi.waitFor(() => expect(seen.some((at) => at >= dueAt)).toBe(true), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
    });

    it('can be set again after the queue has lost it', async () => {
      const message = timer();
      const before = await connect();
      await before.send('timers', message, { delayMs: 60_000 });
      await before.close(3_000);
      await stage.place.clear();
      const queues = await connect();
      expect((await queues.readDepths()).timers.delayed).toBe(0);
      await queues.send('timers', message, { delayMs: 50 });
      const names = await collectTimers(queues);
      await vi.waitFor(() => expect(names).toEqual(['deadline']), WAIT_OPTIONS);
      await waitUntilEmpty(queues);
    });
  });
}
