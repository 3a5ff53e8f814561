import { Quarantine } from '@phaseline/cluster';
import { RELEASE } from '@phaseline/event-store';
import { ok, warn, type Check } from '../check.js';

/** Jobs that failed again and again in the same way, and wait for a person. */
export const setAside: Check = {
  name: 'set-aside',
  needs: ['schema'],
  run: async ({ pool }) => {
    const quarantine = new Quarantine(pool, { after: 1, release: RELEASE });
    const streams = await quarantine.list({ setAside: true });
    if (streams.length === 0) return ok('none');
    return streams.map(({ streamId, correlationId, failures, reason, nextLookAt }) =>
      warn(
        `${streamId} failed ${failures} times in the same way and waits for a person; it is looked at again at ${nextLookAt}: ${reason}`,
        `mend the cause, then phaseline retry ${correlationId} or phaseline doctor --mend`,
        async () => {
          const released = await quarantine.release(correlationId);
          return `released ${released.join(', ') || streamId}`;
        },
      ),
    );
  },
};
