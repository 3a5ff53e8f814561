import { ok, warn, type Check } from '../check.js';

/** Reports running processes that declare themselves not ready. */
export const readiness: Check = {
  name: 'readiness',
  needs: ['schema'],
  run: async ({ processes }) => {
    const alive = (await processes.listReports()).filter(({ isDead }) => !isDead);
    const notReady = alive.filter(({ problems }) => problems.length > 0);
    if (notReady.length === 0) return ok(`all ${alive.length} processes are ready`);
    return notReady.map(({ processId, problems }) =>
      warn(
        `${processId} is not ready: ${problems.join('; ')}`,
        'fix the named cause; if it stays not ready, restart it',
      ),
    );
  },
};
