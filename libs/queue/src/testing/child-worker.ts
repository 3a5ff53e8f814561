/**
 * A worker in a process of its own, for specs that kill it. Reads its orders from the environment, writes one JSON line an
 * event. Behaviours: `hang` never ends a message; `freeze` stops its whole event loop until the parent creates the file named
 * in CHILD_FREEZE_UNTIL, then waits for the signal; `die-burying` kills itself after it has stored a dead letter.
 */
import { existsSync } from 'node:fs';
import { shiftClock } from '@phaseline/fault-points';
import { createQueues } from '../create-queues.js';
import type { BackendConfig } from '../create-queues.js';
import type { QueueTuning } from '../queues.js';

export interface ChildOrders {
  readonly config: BackendConfig;
  readonly tuning: QueueTuning;
  readonly behaviour: 'hang' | 'freeze' | 'die-burying';
}

const orders = JSON.parse(process.env.CHILD_ORDERS ?? '') as ChildOrders;
shiftClock(Number(process.env.CHILD_CLOCK_AHEAD_MS ?? 0));
const say = (event: string, details: object = {}): void =>
  void process.stdout.write(`${JSON.stringify({ event, ...details })}\n`);
const moment = new Int32Array(new SharedArrayBuffer(4));

const queues = await createQueues(orders.config, {
  tuning: orders.tuning,
  onError: () => {},
  onDeadLetter: async (letter) => {
    say('letter', letter);
    if (orders.behaviour === 'die-burying') process.kill(process.pid, 'SIGKILL');
  },
});
await queues.work('tactical', async (payload, { signal, messageId }) => {
  say('started', { messageId, payload });
  if (orders.behaviour === 'die-burying') throw Object.assign(new Error('no use'), { retryable: false });
  if (orders.behaviour === 'freeze')
    while (!existsSync(process.env.CHILD_FREEZE_UNTIL ?? '')) Atomics.wait(moment, 0, 0, 20);
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  say('aborted', { reason: (signal.reason as Error).name });
});
say('ready');
