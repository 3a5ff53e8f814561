import { roles } from '@phaseline/identity';
import { expect, it } from 'vitest';
import { roleNames } from '../../apps/dashboard/src/settings/roles.js';

it('the dashboard offers every role', () => {
  expect(roleNames).toEqual(roles);
});
