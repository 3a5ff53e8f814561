import { Quarantine } from '@phaseline/cluster';
import { RELEASE } from '@phaseline/event-store';
import { pluralise } from '../../output/quantities.js';
import { ok, warn, type Check } from '../check.js';

/** Reports quarantined jobs: they failed repeatedly in the same way and need a person. */
export const quarantinedJobs: Check = {
  name: 'quarantined-jobs',
  needs: ['schema'],
  run: async ({ pool }) => {
    const quarantine = new Quarantine(pool, { maxFailures: 1, release: RELEASE });
    const streams = await quarantine.list({ isQuarantined: true });
    if (streams.length === 0) return ok('none');
    return streams.map(({ streamId, correlationId, failures, reason, nextCheckAt }) =>
      warn(
        `${streamId} is in quarantine after ${pluralise(failures, 'identical failure')}; next automatic attempt at ${nextCheckAt}: ${reason}`,
        `fix the cause, then phaseline retry ${correlationId} or phaseline doctor --fix`,
        async () => {
          const released = await quarantine.release(correlationId);
          return `released ${released.join(', ') || streamId}`;
        },
      ),
    );
  },
};
