import type { QueueName } from '@phaseline/contracts';
import { formatAge, pluralise } from '../../output/quantities.js';
import { fail, ok, warn, type Check } from '../check.js';

/** The service that consumes each queue. */
const CONSUMER_OF_QUEUE: Readonly<Record<QueueName, string>> = {
  jobs: 'orchestrator',
  timers: 'orchestrator',
  strategic: 'strategic-worker',
  tactical: 'tactical-worker',
  tools: 'tool-runner',
  repositories: 'tool-runner',
};

/** Checks that the queues can be reached and that waiting messages are consumed. */
export const queues: Check = {
  name: 'queues',
  needs: ['database'],
  run: async function* (target) {
    const problem = await target.whyMissing('queues');
    if (problem !== undefined)
      return fail(
        `the queues cannot be reached: ${problem}`,
        target.queue.backend === 'redis' ? 'start Redis, or correct REDIS_URL' : 'create them with phaseline migrate',
      );
    const depths = Object.entries(await (await target.openQueues()).readDepths());
    const alive = (await target.processes.listReports()).filter(({ isDead }) => !isDead).map(({ service }) => service);
    for (const [name, { waiting, oldestAgeMs = 0 }] of depths) {
      const consumer = CONSUMER_OF_QUEUE[name as QueueName];
      if (waiting === 0 || oldestAgeMs < target.limits.messageAgeMs) continue;
      const text = `${pluralise(waiting, 'message')} waiting on ${name}, the oldest for ${formatAge(oldestAgeMs)}`;
      yield alive.includes(consumer)
        ? warn(
            `${text}: ${consumer} does not keep up`,
            `start more processes of ${consumer}, or find out why it is slow`,
          )
        : fail(`${text}: no ${consumer} is running`, `start ${consumer}, or phaseline up`);
    }
    const summary = depths.map(([name, { waiting, active, delayed }]) => `${name} ${waiting}/${active}/${delayed}`);
    return ok(`${target.queue.backend}: ${summary.join(', ')} (waiting/active/delayed)`);
  },
};
