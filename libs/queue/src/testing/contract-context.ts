import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import type { PhaseMessage } from '@phaseline/contracts';
import { createQueues, type QueuesOptions } from '../create-queues.js';
import type { DeadLetter } from '../dead-letter.js';
import type { DeliveryContext } from '../handler.js';
import type { Queues } from '../queues.js';
import type { ChildOptions } from './child-worker.js';
import type { Harness, QueueFixture } from './harness.js';
import { startChild, type Child } from './start-child.js';

export interface Delivered {
  readonly payload: PhaseMessage;
  readonly context: DeliveryContext;
}

/** Options of `vi.waitFor`, whose default timeout of one second is too short on a busy machine. */
export const WAIT_OPTIONS = { timeout: 20_000, interval: 20 };
/** Short lock times for fast recovery, but long enough that a busy machine does not lose locks. */
export const SHORT_TUNING = { lockMs: 1_200, stalledCheckMs: 400, deadLetterRetryMs: 100 };
export const SHORT_BACKOFF = { firstMs: 20, maxMs: 50 };
export const createPhaseMessage = (phase = 1): PhaseMessage => ({ jobId: randomUUID(), phase, version: 1, epoch: 0 });
export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
export const NEVER = new Promise<never>(() => {});

export type ContractContext = ReturnType<typeof createContractContext>;

/** Sets up the shared fixtures of the contract suite: one place for all tests, cleared after each. Call it inside a `describe`. */
export function createContractContext(harness: Harness) {
  let place: QueueFixture;
  const deadLetters: DeadLetter[] = [];
  const errors: Error[] = [];
  const open: { close(timeoutMs: number): Promise<unknown> }[] = [];
  const children: Child[] = [];

  async function connect(
    options: Partial<QueuesOptions> = {},
    at: Pick<QueueFixture, 'config'> = place,
  ): Promise<Queues> {
    const queues = await createQueues(at.config, {
      onDeadLetter: async (deadLetter) => void deadLetters.push(deadLetter),
      onError: (error) => void errors.push(error),
      tuning: SHORT_TUNING,
      ...options,
    });
    open.push(queues);
    return queues;
  }

  /** Works on `tactical`, records each delivery, then calls `then`. */
  async function collect(
    queues: Queues,
    then: (delivered: Delivered) => unknown = () => {},
    concurrency = 5,
  ): Promise<Delivered[]> {
    const delivered: Delivered[] = [];
    await queues.work(
      'tactical',
      async (payload, context) => {
        const delivery = { payload, context };
        delivered.push(delivery);
        return (await then(delivery)) as { retryAt: number } | undefined;
      },
      { concurrency },
    );
    return delivered;
  }

  async function spawnWorker(
    behaviour: ChildOptions['behaviour'],
    environment: Record<string, string> = {},
  ): Promise<Child> {
    const started = await startChild({ config: place.config, tuning: SHORT_TUNING, behaviour }, environment);
    children.push(started);
    return started;
  }

  async function waitUntilEmpty(queues: Queues): Promise<void> {
    await vi.waitFor(async () => {
      for (const [queue, { waiting, active, delayed, failed }] of Object.entries(await queues.readDepths())) {
        expect({ queue, waiting, active, delayed, failed }).toEqual({
          queue,
          waiting: 0,
          active: 0,
          delayed: 0,
          failed: 0,
        });
      }
    }, WAIT_OPTIONS);
  }

  beforeAll(async () => {
    place = await harness.createFixture();
  });

  beforeEach(() => {
    deadLetters.length = 0;
    errors.length = 0;
  });

  afterEach(async () => {
    await Promise.all(children.splice(0).map((one) => one.kill()));
    await Promise.all(open.splice(0).map((queues) => queues.close(3_000)));
    await place.clear();
  });

  afterAll(async () => {
    await place.dispose();
  });

  return {
    harness,
    get place(): QueueFixture {
      return place;
    },
    deadLetters,
    errors,
    open,
    children,
    connect,
    collect,
    spawnWorker,
    waitUntilEmpty,
  };
}
