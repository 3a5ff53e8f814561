/**
 * A worker in a separate process, for specs that kill it. Reads its options from the environment and writes one JSON line per
 * event. Behaviours: `hang` never ends a message; `freeze` blocks the event loop until the parent creates the file named in
 * CHILD_FREEZE_UNTIL, then waits for the abort signal; `die-after-dead-letter` kills itself after it has stored a dead letter.
 */
import { existsSync } from 'node:fs';
import { shiftClock } from '@phaseline/fault-points';
import { createQueues, type BackendConfig } from '../create-queues.js';
import type { QueueTuning } from '../queues.js';

export interface ChildOptions {
  readonly config: BackendConfig;
  readonly tuning: QueueTuning;
  readonly behaviour: 'hang' | 'freeze' | 'die-after-dead-letter';
}

const orders = JSON.parse(process.env.CHILD_ORDERS ?? '') as ChildOptions;
shiftClock(Number(process.env.CHILD_CLOCK_AHEAD_MS ?? 0));
const report = (event: string, details: object = {}): void =>
  void process.stdout.write(`${JSON.stringify({ event, ...details })}\n`);
const waitBuffer = new Int32Array(new SharedArrayBuffer(4));

const queues = await createQueues(orders.config, {
  tuning: orders.tuning,
  onError: () => {},
  onDeadLetter: async (deadLetter) => {
    report('dead-letter', deadLetter);
    if (orders.behaviour === 'die-after-dead-letter') process.kill(process.pid, 'SIGKILL');
  },
});
await queues.work('tactical', async (payload, { signal, messageId }) => {
  report('started', { messageId, payload });
  if (orders.behaviour === 'die-after-dead-letter')
    throw Object.assign(new Error('not retryable'), { retryable: false });
  if (orders.behaviour === 'freeze')
    while (!existsSync(process.env.CHILD_FREEZE_UNTIL ?? '')) Atomics.wait(waitBuffer, 0, 0, 20);
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  report('aborted', { reason: (signal.reason as Error).name });
});
report('ready');
