import { fail, ok, warn, type Check } from '../check.js';
import { serviceNames } from '../../stack/project-files.js';

/** Checks that at least one process of each service is running. */
export const services: Check = {
  name: 'services',
  needs: ['schema'],
  run: async ({ processes, pool }) => {
    const alive = (await processes.listReports()).filter(({ isDead }) => !isDead);
    const count = (name: string): number => alive.filter(({ service }) => service === name).length;
    const missing = serviceNames.filter((name) => count(name) === 0);
    const { rows } = await pool.query<{ open: boolean }>(
      `SELECT EXISTS (SELECT FROM phaseline.streams WHERE NOT closed AND stream_id LIKE 'job-%') AS open`,
    );
    const consequence = rows[0]?.open ? 'open jobs may wait for it' : 'no job is open';
    if (missing.length === serviceNames.length) {
      const text = `no service is running; ${rows[0]?.open ? 'open jobs are waiting' : 'no job is open'}`;
      return rows[0]?.open ? fail(text, 'phaseline up, or start the services') : warn(text, 'phaseline up');
    }
    if (missing.length > 0)
      return fail(
        `no ${missing.join(', no ')} is running; ${consequence}`,
        `start ${missing.join(', ')}, or phaseline up`,
      );
    return ok(serviceNames.map((name) => (count(name) > 1 ? `${name} ×${count(name)}` : name)).join(', '));
  },
};
