// Long because it is one contract: every promise of the queues stands here once and is run on each backend.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { PhaseMessage } from '../catalogue.js';
import { createQueues } from '../create-queues.js';
import type { QueuesOptions } from '../create-queues.js';
import type { DeadLetter } from '../dead-letter.js';
import type { DeliveryContext, Settled } from '../handler.js';
import {
  InvalidMessage,
  JobsContractMissing,
  LockLost,
  QueueClosing,
  QueuesClosed,
  QueueUnavailable,
} from '../queue-errors.js';
import type { Queues } from '../queues.js';
import type { ChildOrders } from './child-worker.js';
import type { Harness, Place, StoppablePlace } from './harness.js';
import { startChild } from './start-child.js';
import type { Child } from './start-child.js';

const jobSchema = z.object({ agent: z.string().min(1), note: z.string().optional() });
type Job = z.infer<typeof jobSchema>;
interface Delivered {
  readonly payload: PhaseMessage;
  readonly context: DeliveryContext;
}

/** For what comes when a busy machine gets to it; the default of `vi.waitFor` is one second. */
export const patience = { timeout: 20_000, interval: 20 };
/** Quick recovery, yet long enough that a busy machine does not lose locks by itself. */
const quick = { lockMs: 1_200, stalledCheckMs: 400, deadLetterRetryMs: 100 };
const impatient = { firstMs: 20, maxMs: 50 };
const message = (phase = 1): PhaseMessage => ({ jobId: randomUUID(), phase, version: 1, epoch: 0 });
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
const never = new Promise<never>(() => {});

/** What every backend must do, told once. Call it inside a `describe` that names the backend. */
export function queueContract(harness: Harness): void {
  let place: Place;
  let letters: DeadLetter[];
  let errors: Error[];
  const open: { close(timeoutMs: number): Promise<unknown> }[] = [];
  const children: Child[] = [];

  async function connect(
    options: Partial<QueuesOptions<Job>> = {},
    at: Pick<Place, 'config'> = place,
  ): Promise<Queues<Job>> {
    const queues = await createQueues<Job>(at.config, {
      jobs: { schema: jobSchema },
      onDeadLetter: async (letter) => void letters.push(letter),
      onError: (error) => void errors.push(error),
      tuning: quick,
      ...options,
    });
    open.push(queues);
    return queues;
  }

  /** Works on `tactical`, keeps what is delivered, then does `then`. */
  async function collect(
    queues: Queues<Job>,
    then: (delivered: Delivered) => unknown = () => {},
    concurrency = 5,
  ): Promise<Delivered[]> {
    const delivered: Delivered[] = [];
    await queues.work(
      'tactical',
      async (payload, context) => {
        const one = { payload, context };
        delivered.push(one);
        return (await then(one)) as { retryAt: number } | undefined;
      },
      { concurrency },
    );
    return delivered;
  }

  async function child(behaviour: ChildOrders['behaviour'], environment: Record<string, string> = {}): Promise<Child> {
    const started = await startChild({ config: place.config, tuning: quick, behaviour }, environment);
    children.push(started);
    return started;
  }

  async function untilEmpty(queues: Queues<Job>): Promise<void> {
    await vi.waitFor(async () => {
      for (const [queue, { waiting, active, delayed, failed }] of Object.entries(await queues.depths())) {
        expect({ queue, waiting, active, delayed, failed }).toEqual({
          queue,
          waiting: 0,
          active: 0,
          delayed: 0,
          failed: 0,
        });
      }
    }, patience);
  }

  beforeAll(async () => {
    place = await harness.place();
  });

  beforeEach(() => {
    letters = [];
    errors = [];
  });

  afterEach(async () => {
    await Promise.all(children.splice(0).map((one) => one.kill()));
    await Promise.all(open.splice(0).map((queues) => queues.close(3_000)));
    await place.clear();
  });

  afterAll(async () => {
    await place.dispose();
  });

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

  describe('what the contract refuses', () => {
    it('is refused before it is sent, naming the field', async () => {
      const queues = await connect();
      await expect(queues.send('tactical', { ...message(), jobId: 'nobody' })).rejects.toMatchObject({
        code: 'QUEUE_INVALID_MESSAGE',
        message: expect.stringContaining('jobId'),
      });
      await expect(queues.send('tactical', message(), { delayMs: -1 })).rejects.toThrow(InvalidMessage);
      await expect(queues.send('tactical', message(), { delayMs: Number.NaN })).rejects.toThrow(InvalidMessage);
      await expect(queues.send('tactical', message(), { priority: 1.5 })).rejects.toThrow(InvalidMessage);
      await expect(queues.send('tactical', message(), { id: '' })).rejects.toThrow(InvalidMessage);
      await untilEmpty(queues);
    });

    it('becomes a dead letter when a foreign producer sends it; the handler never sees it and the worker goes on', async () => {
      const queues = await connect();
      const handled: Job[] = [];
      await queues.work('jobs', async (job) => void handled.push(job));
      const foreign = await place.foreignProducer();
      await foreign.queue.add('whatever', { agent: '', nested: ['kept'] }, { attempts: 5 });
      await foreign.queue.add('text', 'not an object');
      await foreign.queue.add('nothing', null);
      await foreign.queue.add('good', { agent: 'creator' });
      await vi.waitFor(() => expect([letters.length, handled.length]).toEqual([3, 1]), patience);
      await untilEmpty(queues);
      await foreign.close();
      const [first] = letters.filter(({ messageName }) => messageName === 'whatever');
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

    it('a process that did not bring the contract of jobs can neither send to them nor work on them', async () => {
      const queues = await createQueues(place.config, { onDeadLetter: async () => {}, onError: () => {} });
      open.push(queues);
      await expect(queues.send('jobs', { agent: 'creator' } as never)).rejects.toThrow(JobsContractMissing);
      await expect(queues.work('jobs', async () => {})).rejects.toThrow(JobsContractMissing);
    });

    it('text that a database cannot hold is cleaned on the way in and in reasons', async () => {
      const queues = await connect({ policies: { jobs: { attempts: 2, backoff: impatient } } });
      const handled: Job[] = [];
      await queues.work('jobs', async (job) => {
        handled.push(job);
        throw new Error(`bad\u0000 text \ud800 ${'x'.repeat(10_000)}`);
      });
      await queues.send('jobs', { agent: 'crea\u0000tor', note: 'half a pair: \udfff' });
      await vi.waitFor(() => expect(letters).toHaveLength(1), patience);
      await untilEmpty(queues);
      expect(handled[0]).toEqual({ agent: 'creator', note: 'half a pair: \ufffd' });
      expect(letters[0]!.reason).toMatch(/^bad text \ufffd x{100,2000}$/);
    });
  });

  describe('a timer', () => {
    const timer = (name = 'deadline'): { jobId: string; timer: string } => ({ jobId: randomUUID(), timer: name });

    async function fired(queues: Queues<Job>): Promise<string[]> {
      const names: string[] = [];
      await queues.work('timers', async (message) => void names.push(message.timer));
      return names;
    }

    it('is delivered when its delay is over, the sooner first, one that is overdue at once', async () => {
      const queues = await connect();
      await queues.send('timers', timer('later'), { delayMs: 700 });
      await queues.send('timers', timer('sooner'), { delayMs: 350 });
      await queues.send('timers', timer('overdue'), { delayMs: 0 });
      expect((await queues.depths()).timers).toMatchObject({ waiting: 1, delayed: 2 });
      const names = await fired(queues);
      await vi.waitFor(() => expect(names).toEqual(['overdue', 'sooner', 'later']), patience);
      await untilEmpty(queues);
    });

    it('of one job and name is set once, and keeps its first time', async () => {
      const queues = await connect();
      const message = timer();
      await queues.send('timers', message, { delayMs: 60_000 });
      await Promise.all([1, 2, 3].map((ms) => queues.send('timers', message, { delayMs: ms })));
      await queues.send('timers', { ...message, timer: 'backoff-1' }, { delayMs: 60_000 });
      const names = await fired(queues);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(names).toEqual([]);
      expect((await queues.depths()).timers).toMatchObject({ waiting: 0, delayed: 2 });
    });

    it('that is looked at too early is put off until it is due, without losing its name', async () => {
      const queues = await connect();
      const message = timer();
      const dueAt = Date.now() + 400;
      const seen: number[] = [];
      await queues.work('timers', async () => {
        seen.push(Date.now());
        // As whoever looks at the job does: while the message runs this does nothing.
        await queues.send('timers', message, { delayMs: Math.max(0, dueAt - Date.now()) });
        return Date.now() < dueAt ? { retryAt: dueAt } : undefined;
      });
      await queues.send('timers', message, { delayMs: 1 });
      await vi.waitFor(() => expect(seen.some((at) => at >= dueAt)).toBe(true), patience);
      await untilEmpty(queues);
    });

    it('is set again after the queue has lost it', async () => {
      const message = timer();
      const before = await connect();
      await before.send('timers', message, { delayMs: 60_000 });
      await before.close(3_000);
      await place.clear();
      const queues = await connect();
      expect((await queues.depths()).timers.delayed).toBe(0);
      await queues.send('timers', message, { delayMs: 50 });
      const names = await fired(queues);
      await vi.waitFor(() => expect(names).toEqual(['deadline']), patience);
      await untilEmpty(queues);
    });
  });

  describe('a failing handler', () => {
    it('is tried again after a wait, counting attempts', async () => {
      const queues = await connect({ policies: { tactical: { backoff: impatient } } });
      const delivered = await collect(queues, ({ context }) => {
        if (context.attempt < 3) throw new Error('not yet');
      });
      await queues.send('tactical', message());
      await vi.waitFor(() => expect(delivered).toHaveLength(3), patience);
      await untilEmpty(queues);
      expect(delivered.map(({ context }) => context.attempt)).toEqual([1, 2, 3]);
      expect(delivered.map(({ context }) => context.stalledBefore)).toEqual([false, true, true]);
      expect(letters).toEqual([]);
    });

    it('makes a dead letter with the last reason when its attempts are used up', async () => {
      const queues = await connect({ policies: { tactical: { attempts: 3, backoff: impatient } } });
      const payload = message();
      const delivered = await collect(queues, ({ context }) => {
        throw Object.assign(new Error(`failure ${context.attempt}`), { code: 'EVENT_STORE_AWAY' });
      });
      await queues.send('tactical', payload, { id: 'doomed' });
      await vi.waitFor(() => expect(letters).toHaveLength(1), patience);
      await untilEmpty(queues);
      expect(delivered).toHaveLength(3);
      expect(letters[0]).toMatchObject({
        queue: 'tactical',
        messageId: 'doomed',
        kind: 'exhausted',
        reason: 'failure 3',
        code: 'EVENT_STORE_AWAY',
        attempts: 3,
        payload,
      });
    });

    it('is not tried again when it says that this is no use', async () => {
      const queues = await connect();
      const delivered = await collect(queues, () => {
        throw Object.assign(new Error('unknown agent'), { retryable: false });
      });
      await queues.send('tactical', message());
      await vi.waitFor(() => expect(letters).toHaveLength(1), patience);
      await untilEmpty(queues);
      expect(delivered).toHaveLength(1);
      expect(letters[0]).toMatchObject({ kind: 'not-retryable', reason: 'unknown agent', attempts: 1 });
    });

    it('keeps its message until the dead letter is stored', async () => {
      const refusals = [new Error('database away'), new Error('still away')];
      const queues = await connect({
        onDeadLetter: async (letter) => {
          const refusal = refusals.shift();
          if (refusal) throw refusal;
          letters.push(letter);
        },
      });
      await collect(queues, () => {
        throw Object.assign(new Error('no use'), { retryable: false });
      });
      await queues.send('tactical', message(), { id: 'kept' });
      await vi.waitFor(() => expect(letters).toHaveLength(1), patience);
      await untilEmpty(queues);
      expect(letters[0]!.messageId).toBe('kept');
      expect(errors.map(({ cause }) => (cause as Error | undefined)?.message)).toEqual(['database away', 'still away']);
    });

    it('that puts its message off gets it again, without an attempt and without being taken for dead', async () => {
      const queues = await connect();
      const delivered = await collect(queues, () =>
        delivered.length < 3 ? { retryAt: Date.now() + 30.5 } : undefined,
      );
      await queues.send('tactical', message());
      await vi.waitFor(() => expect(delivered).toHaveLength(3), patience);
      await untilEmpty(queues);
      expect(delivered.map(({ context }) => [context.attempt, context.stalledBefore])).toEqual([
        [1, false],
        [1, false],
        [1, false],
      ]);
    });
  });

  describe('a worker that vanishes', () => {
    it('has its message delivered to another one, which is told so', async () => {
      const queues = await connect();
      const victim = await child('hang');
      await queues.send('tactical', message(5), { id: 'orphan' });
      await victim.event('started');
      await victim.kill();
      const delivered = await collect(queues);
      await vi.waitFor(() => expect(delivered).toHaveLength(1), patience);
      expect(delivered[0]!.payload.phase).toBe(5);
      expect(delivered[0]!.context).toMatchObject({ messageId: 'orphan', attempt: 1, stalledBefore: true });
      await untilEmpty(queues);
    });

    it('too often with the same message makes it a dead letter', async () => {
      const queues = await connect({ policies: { tactical: { maxStalls: 0 } } });
      const victim = await child('hang');
      await queues.send('tactical', message(), { id: 'poison' });
      await victim.event('started');
      await victim.kill();
      const delivered = await collect(queues);
      await vi.waitFor(() => expect(letters).toHaveLength(1), patience);
      await untilEmpty(queues);
      expect(delivered).toEqual([]);
      expect(letters[0]).toMatchObject({ messageId: 'poison', kind: 'stalled' });
    });

    it('between storing a dead letter and removing its message: the letter comes again', async () => {
      const queues = await connect();
      const victim = await child('die-burying');
      await queues.send('tactical', message(), { id: 'twice' });
      const first = await victim.event('letter');
      await victim.gone;
      await collect(queues, () => {
        throw Object.assign(new Error('no use'), { retryable: false });
      });
      await vi.waitFor(() => expect(letters).toHaveLength(1), patience);
      await untilEmpty(queues);
      expect(letters[0]).toMatchObject({
        queue: first.queue,
        messageId: first.messageId,
        enqueuedAt: first.enqueuedAt,
      });
    });

    it('only for a while has its signal fired when it is back, because another one has the message', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'phaseline-queue-'));
      const thaw = join(directory, 'thaw');
      const queues = await connect();
      const frozen = await child('freeze', { CHILD_FREEZE_UNTIL: thaw });
      await queues.send('tactical', message());
      await frozen.event('started');
      const gate = Promise.withResolvers<void>();
      const delivered = await collect(queues, () => gate.promise);
      await vi.waitFor(() => expect(delivered).toHaveLength(1), patience);
      expect(delivered[0]!.context.stalledBefore).toBe(true);
      writeFileSync(thaw, '');
      expect(await frozen.event('aborted')).toMatchObject({ reason: LockLost.name });
      gate.resolve();
      await untilEmpty(queues);
      expect(delivered).toHaveLength(1);
      await rm(directory, { recursive: true });
    });
  });

  it('a message that comes back to the process that lost it stops the old handler and stays with the new one', async () => {
    const queues = await connect();
    const foreign = await place.foreignProducer();
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const contexts: DeliveryContext[] = [];
    await queues.work('jobs', async (_, context) => {
      contexts.push(context);
      await gates[contexts.length - 1]?.promise;
    });
    await queues.send('jobs', { agent: 'creator' }, { id: 'lost' });
    await vi.waitFor(() => expect(contexts).toHaveLength(1), patience);
    // Token 0 is BullMQ's way past the lock: what a worker does that found the message stalled.
    await (await foreign.queue.getJob('lost'))!.moveToWait('0');
    await vi.waitFor(() => expect(contexts).toHaveLength(2), patience);
    expect(contexts[0]!.signal.reason).toBeInstanceOf(LockLost);
    gates[0]!.resolve();
    await new Promise((resolve) => setTimeout(resolve, 2 * quick.lockMs));
    expect(contexts).toHaveLength(2);
    expect(contexts[1]!.signal.aborted).toBe(false);
    gates[1]!.resolve();
    await untilEmpty(queues);
    await foreign.close();
  });

  describe('close', () => {
    it('waits for handlers that end in time, and their messages are done', async () => {
      const queues = await connect();
      const finished: string[] = [];
      const delivered = await collect(queues, async ({ context }) => {
        await aborted(context.signal);
        finished.push((context.signal.reason as Error).name);
      });
      await queues.send('tactical', message());
      await vi.waitFor(() => expect(delivered).toHaveLength(1), patience);
      expect(await queues.close(5_000)).toEqual({ clean: true, abandoned: [] });
      expect(finished).toEqual([QueueClosing.name]);
      await untilEmpty(await connect());
    });

    it('gives back at once what a handler dropped because of it, without counting an attempt', async () => {
      const queues = await connect({ policies: { tactical: { attempts: 1 } } });
      const interrupted = await collect(queues, ({ context }) =>
        aborted(context.signal).then(() => Promise.reject(new Error('stopped in the middle'))),
      );
      await queues.send('tactical', message());
      await vi.waitFor(() => expect(interrupted).toHaveLength(1), patience);
      await queues.close(5_000);
      // Locks that outlast the test: only a message given back can arrive.
      const successor = await connect({ tuning: { lockMs: 60_000, stalledCheckMs: 60_000 } });
      const delivered = await collect(successor);
      await vi.waitFor(() => expect(delivered).toHaveLength(1), patience);
      expect(delivered[0]!.context).toMatchObject({ attempt: 1, stalledBefore: true });
      expect(letters).toEqual([]);
    });

    it('leaves a handler that hangs after the time it was given, and the message comes again', async () => {
      const queues = await connect();
      const hanging = await collect(queues, () => never);
      await queues.send('tactical', message(), { id: 'hung' });
      await vi.waitFor(() => expect(hanging).toHaveLength(1), patience);
      expect(await queues.close(600)).toEqual({ clean: false, abandoned: [{ queue: 'tactical', messageId: 'hung' }] });
      const successor = await connect();
      const delivered = await collect(successor);
      await vi.waitFor(() => expect(delivered).toHaveLength(1), patience);
      expect(delivered[0]!.context.stalledBefore).toBe(true);
    });

    it('refuses what comes after it, and may be called again', async () => {
      const queues = await connect();
      const report = await queues.close(2_000);
      expect(await queues.close(2_000)).toBe(report);
      await expect(queues.send('tactical', message())).rejects.toThrow(QueuesClosed);
      await expect(queues.work('tactical', async () => {})).rejects.toThrow(QueuesClosed);
      await expect(queues.depths()).rejects.toThrow(QueuesClosed);
    });
  });

  it('counts what waits, runs and is delayed, and how old the oldest waiting message is', async () => {
    const queues = await connect();
    expect((await queues.depths()).tactical).toEqual({
      waiting: 0,
      active: 0,
      delayed: 0,
      failed: 0,
      oldestAgeMs: undefined,
    });
    const gate = Promise.withResolvers<void>();
    const delivered = await collect(queues, () => gate.promise, 1);
    await queues.send('tactical', message(1));
    await vi.waitFor(() => expect(delivered).toHaveLength(1), patience);
    await queues.send('tactical', message(2), { priority: 7 });
    await new Promise((resolve) => setTimeout(resolve, 60));
    const ageOfFirst = (await queues.depths()).tactical.oldestAgeMs!;
    await queues.send('tactical', message(3), { priority: 3 });
    await queues.send('tactical', message(4));
    await queues.send('tactical', message(5), { delayMs: 60_000 });
    const { oldestAgeMs, ...counts } = (await queues.depths()).tactical;
    expect(counts).toEqual({ waiting: 3, active: 1, delayed: 1, failed: 0 });
    expect(oldestAgeMs).toBeGreaterThanOrEqual(ageOfFirst);
    expect((await queues.depths()).strategic.waiting).toBe(0);
    gate.resolve();
    await vi.waitFor(() => expect(delivered).toHaveLength(4), patience);
  });

  it('a foreign producer may use any job name and options: the message is handled and gone like any other', async () => {
    const queues = await connect();
    const handled: Job[] = [];
    await queues.work('jobs', async (job) => void handled.push(job));
    const foreign = await place.foreignProducer();
    await foreign.queue.add(
      'submit',
      { agent: 'creator', unknown: true },
      { removeOnComplete: { count: 1_000 }, attempts: 1 },
    );
    await foreign.queue.add('something else', { agent: 'validator' }, { jobId: 'my-own-id', priority: 5, delay: 20 });
    await vi.waitFor(() => expect(handled).toHaveLength(2), patience);
    await untilEmpty(queues);
    expect(await foreign.queue.getJobCounts('completed', 'failed')).toEqual({ completed: 0, failed: 0 });
    expect(handled.map(({ agent }) => agent)).toEqual(['creator', 'validator']);
    await foreign.close();
  });

  it('tells its hooks what was sent and how each delivery ended', async () => {
    const sent: [string, number][] = [];
    const settled: Settled[] = [];
    const queues = await connect({
      policies: { tactical: { attempts: 2, backoff: impatient } },
      metrics: { sent: (...one) => void sent.push(one), settled: (one) => void settled.push(one) },
    });
    await collect(queues, ({ payload, context }) => {
      if (payload.phase === 2) throw new Error('no');
      if (payload.phase === 3 && context.attempt === 1 && settled.length < 4) return { retryAt: Date.now() + 20 };
    });
    await queues.send('tactical', message(1));
    await vi.waitFor(() => expect(settled).toHaveLength(1), patience);
    await queues.sendMany([{ queue: 'tactical', payload: message(2) }]);
    await vi.waitFor(() => expect(settled).toHaveLength(3), patience);
    await queues.send('tactical', message(3));
    await vi.waitFor(() => expect(settled).toHaveLength(5), patience);
    expect(settled.map(({ outcome }) => outcome)).toEqual(['completed', 'retried', 'dead', 'postponed', 'completed']);
    expect(settled.map(({ waitMs }) => waitMs !== undefined)).toEqual([true, true, false, true, false]);
    expect(sent).toEqual([
      ['tactical', 1],
      ['tactical', 1],
      ['tactical', 1],
    ]);
  });

  it('a hook that throws changes nothing', async () => {
    const broken = (): never => {
      throw new Error('no such counter');
    };
    const queues = await connect({ metrics: { sent: broken, settled: broken } });
    const delivered = await collect(queues);
    await queues.send('tactical', message());
    await vi.waitFor(() => expect(delivered).toHaveLength(1), patience);
    await untilEmpty(queues);
    expect(letters).toEqual([]);
    expect(errors).toHaveLength(2);
  });

  const { stoppablePlace } = harness;
  describe('looked at from outside', () => {
    it('shows what waits, runs and is delayed, and takes out what nobody handles', async () => {
      const queues = await connect();
      const gate = Promise.withResolvers<void>();
      const [running, waiting, delayed, urgent] = [message(1), message(2), message(3), message(4)];
      await queues.send('tactical', running, { id: 'r' });
      await queues.work('tactical', () => gate.promise, { concurrency: 1 });
      await vi.waitFor(async () => expect((await queues.depths()).tactical.active).toBe(1), patience);
      await queues.send('tactical', waiting, { id: 'w:1' });
      await queues.send('tactical', urgent, { id: 'u', priority: 3 });
      await queues.send('tactical', delayed, { id: 'd', delayMs: 60_000 });
      const seen = await queues.messages('tactical');
      const found = Object.fromEntries(seen.map(({ state, payload }) => [(payload as PhaseMessage).phase, state]));
      expect(found).toEqual({ 1: 'active', 2: 'waiting', 3: 'delayed', 4: 'waiting' });
      const late = seen.find(({ state }) => state === 'delayed')!;
      expect(late.dueAt - late.sentAt).toBeGreaterThan(50_000);
      for (const { messageId, state } of seen)
        expect(await queues.discard('tactical', messageId)).toBe(state !== 'active');
      expect(await queues.discard('tactical', 'never sent')).toBe(false);
      expect(await queues.messages('tactical', 10)).toMatchObject([
        { messageId: 'r', state: 'active', payload: running },
      ]);
      gate.resolve();
      await untilEmpty(queues);
      expect(await queues.messages('tactical')).toEqual([]);
    });
  });

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
