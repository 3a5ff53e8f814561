import { setTimeout as sleep } from 'node:timers/promises';
import { serviceNames } from '../fleet/programs.js';
import type { Fault } from './fault.js';

/** Time that PostgreSQL is down, in milliseconds. People try to decide meanwhile. */
const DOWN_MS = 2_000;

/** Kills every process and the database, and empties Redis, while questions and approvals wait. */
export const outageWhileWaiting: Fault = {
  name: 'everything killed while jobs wait for a person',
  affectedServices: serviceNames,
  inject: async ({ fleet, people }) => {
    try {
      await people.holdUntilAsked();
      for (const service of serviceNames)
        for (let replica = 1; replica <= fleet.options.replicas; replica += 1)
          fleet.supervision.kill(`${service}-${replica}`, 'SIGKILL');
      await fleet.database.stop('immediate');
      await fleet.redis?.flush();
    } finally {
      people.release();
    }
    await sleep(DOWN_MS);
    await fleet.database.restart();
  },
};
