import { setTimeout as sleep } from 'node:timers/promises';
import { serviceNames } from '../fleet/programs.js';
import { FaultPointNotReached } from './fault-point-not-reached.js';
import type { Fault } from './fault.js';

/** Time that a server is down, in milliseconds. */
const DOWN_MS = 2_000;
/** How often connections are cut, so that calls are being handed over during some of the cuts, and the pause between two cuts. */
const CUTS = { times: 10, pauseMs: 150 } as const;

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
    name: 'connections for handing over cut by PostgreSQL',
    affectedServices: serviceNames,
    backend: 'postgres',
    inject: ({ fleet }) => cutRepeatedly(() => fleet.database.cutListeners()),
  },
  {
    name: 'connections for handing over cut by Redis',
    affectedServices: serviceNames,
    backend: 'redis',
    inject: ({ fleet }) => cutRepeatedly(() => fleet.redis!.cutSubscriptions()),
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

/** Throws if no process was connected: messages were not handed over then, and the fault tested nothing. */
async function cutRepeatedly(cut: () => Promise<number>): Promise<void> {
  let connections = 0;
  for (let time = 0; time < CUTS.times; time += 1) {
    connections += await cut();
    await sleep(CUTS.pauseMs);
  }
  if (connections === 0) throw new FaultPointNotReached('no process listened for messages that are handed over');
}
