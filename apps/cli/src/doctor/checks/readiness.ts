import { ok, warn, type Check } from '../check.js';

/** What living processes say of themselves. */
export const readiness: Check = {
  name: 'readiness',
  needs: ['schema'],
  run: async ({ processes }) => {
    const alive = (await processes.report()).filter(({ dead }) => !dead);
    const complaining = alive.filter(({ complaints }) => complaints.length > 0);
    if (complaining.length === 0) return ok(`${alive.length} processes, none complains`);
    return complaining.map(({ processId, complaints }) =>
      warn(`${processId} is not ready: ${complaints.join('; ')}`, 'mend what it names; if it stays so, restart it'),
    );
  },
};
