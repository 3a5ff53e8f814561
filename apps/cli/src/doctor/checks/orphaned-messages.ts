import { queueNames } from '../queue-names.js';
import { pluralise } from '../../output/quantities.js';
import { isOrphan } from '../orphans.js';
import { ok, formatList, warn, type Check } from '../check.js';
import type { DoctorTarget } from '../doctor-target.js';

/** Number of messages to check per state of a queue. To check more, run the command again. */
const MAX_MESSAGES_CHECKED = 1_000;

/** Reports messages whose phase or call has ended or does not exist, and that no worker has taken for a while. */
export const orphanedMessages: Check = {
  name: 'orphaned-messages',
  needs: ['schema', 'queues'],
  run: async (target) => {
    const found = await findOrphans(target);
    if (found.length === 0) return ok('none');
    const queues = await target.openQueues();
    return warn(
      `${pluralise(found.length, 'message')} ${found.length === 1 ? 'refers' : 'refer'} to work that has ended or does not exist: ${formatList(found.map(({ queue, messageId }) => `${messageId} (${queue})`))}`,
      'a worker drops them when it takes them; phaseline doctor --fix removes them now',
      async () => {
        let removed = 0;
        for (const { queue, messageId } of found) if (await queues.discard(queue, messageId)) removed += 1;
        return `removed ${pluralise(removed, 'message')}`;
      },
    );
  },
};

async function findOrphans(target: DoctorTarget) {
  const queues = await target.openQueues();
  const found = [];
  for (const name of queueNames) {
    for (const message of await queues.listMessages(name, MAX_MESSAGES_CHECKED)) {
      if (message.dueForMs < target.limits.reconcilerGraceMs || !(await isOrphan(target, message))) continue;
      found.push(message);
    }
  }
  return found;
}
