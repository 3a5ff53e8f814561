import { EventStore } from '@phaseline/event-store';
import { compareGuards } from '@phaseline/orchestration';
import { fail, ok, type Check } from '../check.js';
import { hasTable } from './anchors.js';

/** Checks that the guards that phases receive are those of the log: one that was written to the table by hand would have its effect. */
export const guards: Check = {
  name: 'guards',
  needs: ['schema'],
  run: async (target) => {
    const { pool } = target;
    if (!(await hasTable(target, 'guards'))) return ok('not in this schema');
    const differences = await compareGuards(pool, new EventStore(pool));
    if (differences.length === 0) return ok('the stored guards equal the log');
    return differences.map((difference) =>
      fail(
        `the table of guards differs from the log: ${difference}`,
        'find out who wrote to the table; promote or roll back the guard to write its row again',
      ),
    );
  },
};
