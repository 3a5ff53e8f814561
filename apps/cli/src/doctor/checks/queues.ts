import type { QueueName } from '@phaseline/queue';
import { age } from '../../output/quantities.js';
import { fail, ok, warn, type Check, type Finding } from '../check.js';

/** Who takes the messages of a queue. */
export const CONSUMERS: Readonly<Record<QueueName, string>> = {
  jobs: 'orchestrator',
  timers: 'orchestrator',
  strategic: 'strategic-worker',
  tactical: 'tactical-worker',
  tools: 'tool-runner',
};

/** Whether the queues can be reached, and whether what waits in them is taken. */
export const queues: Check = {
  name: 'queues',
  needs: ['database'],
  run: async (patient) => {
    const away = await patient.missing('queues');
    if (away !== undefined)
      return fail(
        `the queues cannot be reached: ${away}`,
        patient.queue.backend === 'redis' ? 'start Redis, or correct REDIS_URL' : 'phaseline migrate makes them',
      );
    const depths = Object.entries(await (await patient.queues()).depths());
    const alive = (await patient.processes.report()).filter(({ dead }) => !dead).map(({ service }) => service);
    const findings: Finding[] = [];
    for (const [name, { waiting, oldestAgeMs = 0 }] of depths) {
      const consumer = CONSUMERS[name as QueueName];
      if (waiting === 0 || oldestAgeMs < patient.limits.waitingMs) continue;
      const text = `${waiting} messages wait on ${name}, the oldest for ${age(oldestAgeMs)}`;
      findings.push(
        alive.includes(consumer)
          ? warn(`${text}: more than ${consumer} takes`, `start more of ${consumer}, or see why it is slow`)
          : fail(`${text}: no ${consumer} runs`, `start ${consumer}, or phaseline up`),
      );
    }
    if (findings.length > 0) return findings;
    const busy = depths.map(([name, { waiting, active, delayed }]) => `${name} ${waiting}/${active}/${delayed}`);
    return ok(`${patient.queue.backend}: ${busy.join(', ')} (waiting/active/delayed)`);
  },
};
