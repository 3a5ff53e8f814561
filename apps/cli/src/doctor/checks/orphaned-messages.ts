import { queueNames } from '../queue-names.js';
import { counted } from '../../output/quantities.js';
import { isOrphan } from '../orphans.js';
import { ok, some, warn, type Check } from '../check.js';
import type { Patient } from '../patient.js';

/** Of each state of a queue; more than this are looked at by running it again. */
const LOOKED_AT = 1_000;

/** Messages whose phase or call has ended, or is not there: left over, and taken by nobody for a while. */
export const orphanedMessages: Check = {
  name: 'orphaned-messages',
  needs: ['schema', 'queues'],
  run: async (patient) => {
    const found = await orphans(patient);
    if (found.length === 0) return ok('none');
    const queues = await patient.queues();
    return warn(
      `${counted(found.length, 'message')} ${found.length === 1 ? 'points' : 'point'} to work that has ended or is not there: ${some(found.map(({ queue, messageId }) => `${messageId} (${queue})`))}`,
      'a worker drops them when it comes to them; phaseline doctor --mend takes them out',
      async () => {
        let gone = 0;
        for (const { queue, messageId } of found) if (await queues.discard(queue, messageId)) gone += 1;
        return `took out ${counted(gone, 'message')}`;
      },
    );
  },
};

async function orphans(patient: Patient) {
  const queues = await patient.queues();
  const found = [];
  for (const name of queueNames) {
    for (const message of await queues.messages(name, LOOKED_AT)) {
      if (message.dueForMs < patient.limits.mendedMs || !(await isOrphan(patient, message))) continue;
      found.push(message);
    }
  }
  return found;
}
