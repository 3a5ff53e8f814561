import { setTimeout as sleep } from 'node:timers/promises';
import { serviceNames } from '../fleet/programs.js';
import type { Fault } from './fault.js';

/** Time that a server is down, in milliseconds. */
const DOWN_MS = 2_000;

/** Faults of PostgreSQL and Redis: stopped, crashed, emptied, and started again. */
export const serverFaults: readonly Fault[] = [
  {
    name: 'PostgreSQL stopped and started',
    affectedServices: serviceNames,
    inject: async ({ fleet }) => {
      await fleet.database.stop('fast');
      await sleep(DOWN_MS);
      await fleet.database.restart();
    },
  },
  {
    name: 'PostgreSQL crashed (immediate) and started',
    affectedServices: serviceNames,
    inject: async ({ fleet }) => {
      await fleet.database.stop('immediate');
      await sleep(DOWN_MS);
      await fleet.database.restart();
    },
  },
  {
    name: 'Redis emptied (FLUSHALL)',
    affectedServices: [],
    backend: 'redis',
    inject: async ({ fleet }) => fleet.redis!.flush(),
  },
  {
    name: 'Redis stopped and started',
    affectedServices: serviceNames,
    backend: 'redis',
    inject: async ({ fleet }) => {
      await fleet.redis!.stop();
      await sleep(DOWN_MS);
      await fleet.redis!.restart();
    },
  },
];
