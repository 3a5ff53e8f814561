import { setTimeout as sleep } from 'node:timers/promises';
import { serviceNames } from '../fleet/programs.js';
import type { Fault } from './fault.js';

/** How long a server is away, in milliseconds. */
const AWAY_MS = 2_000;

/** The servers behind the services: stopped, crashed, emptied, and started again. */
export const serverFaults: readonly Fault[] = [
  {
    name: 'PostgreSQL stopped and started',
    hits: serviceNames,
    inject: async ({ fleet }) => {
      await fleet.database.stop('fast');
      await sleep(AWAY_MS);
      await fleet.database.startAgain();
    },
  },
  {
    name: 'PostgreSQL crashed (immediate) and started',
    hits: serviceNames,
    inject: async ({ fleet }) => {
      await fleet.database.stop('immediate');
      await sleep(AWAY_MS);
      await fleet.database.startAgain();
    },
  },
  {
    name: 'Redis emptied (FLUSHALL)',
    hits: [],
    backend: 'redis',
    inject: async ({ fleet }) => fleet.redis!.flush(),
  },
  {
    name: 'Redis stopped and started',
    hits: serviceNames,
    backend: 'redis',
    inject: async ({ fleet }) => {
      await fleet.redis!.stop();
      await sleep(AWAY_MS);
      await fleet.redis!.startAgain();
    },
  },
];
