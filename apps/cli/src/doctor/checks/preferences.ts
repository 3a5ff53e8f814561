import { assertReadable } from '@phaseline/domain';
import { EventStore } from '@phaseline/event-store';
import { comparePreferences, rebuildPreferences } from '@phaseline/identity';
import { pluralise } from '../../output/quantities.js';
import { fail, formatList, ok, type Check } from '../check.js';
import { hasTable } from './anchors.js';

/** Checks that the table of lasting preferences equals the log. */
export const preferences: Check = {
  name: 'preferences',
  needs: ['schema'],
  run: async (target) => {
    const { pool } = target;
    if (!(await hasTable(target, 'interaction_policies'))) return ok('not in this schema');
    const store = new EventStore(pool, { checkEvent: assertReadable });
    const differences = await comparePreferences(pool, store);
    if (differences.length === 0) return ok('the preferences of people equal the log');
    return fail(
      `the table of preferences differs from the log: ${formatList(differences)}`,
      'build it again from the log: phaseline doctor --fix',
      async () => `built the preferences of ${pluralise(await rebuildPreferences(pool, store), 'person', 'people')}`,
    );
  },
};
