import { assertReadable } from '@phaseline/domain';
import { EventStore } from '@phaseline/event-store';
import { comparePrincipals, Principals } from '@phaseline/identity';
import { fail, ok, type Check } from '../check.js';
import { hasTable } from './anchors.js';

/** Checks that the tables with which requests are authenticated equal the log. */
export const principals: Check = {
  name: 'principals',
  needs: ['schema'],
  run: async (target) => {
    const { pool } = target;
    if (!(await hasTable(target, 'principals'))) return ok('not in this schema');
    const logged = new Principals(pool, new EventStore(pool, { checkEvent: assertReadable }));
    const differences = await comparePrincipals(pool, (id) => logged.fold(id));
    if (differences.length === 0) return ok('principals, roles and keys equal the log');
    return differences.map((difference) =>
      fail(
        `the tables of principals differ from the log: ${difference}`,
        'find out who can write to the database; what is not in the log was written by hand. Disable the principal or revoke the key, then restore the rows as the owner of the database',
      ),
    );
  },
};
