import { expect, it } from 'vitest';
import { describeSlotWait } from './describe-slot-wait.js';

const wait = { tenant: 'acme', since: '', ahead: 3, tenantActive: 2, active: 5, window: 8 };

it('the wait for a slot names what holds it back: the limit of the tenant, else the workers', () => {
  expect(describeSlotWait({ ...wait, tenantLimit: 2 })).toBe(
    'a slot: tenant acme has 2 of 2 phases under way; 3 of its tenant are before it',
  );
  expect(describeSlotWait({ ...wait, tenantLimit: 4, active: 8, ahead: 0 })).toBe(
    'a slot: the workers have 8 of 8 phases; tenant acme has 2 of them and waits for its turn; it is the next of its tenant',
  );
  expect(describeSlotWait(wait)).toContain('which there is room for');
});
