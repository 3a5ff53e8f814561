import { expect, it } from 'vitest';
import { describeSlotWait } from './describe-slot-wait.js';

const wait = { tenant: 'acme', since: '', ahead: 3, tenantActive: 2, active: 5, window: 8 };

it('the reason for waiting is the limit of the tenant, otherwise the workers', () => {
  expect(describeSlotWait({ ...wait, tenantLimit: 2 })).toEqual({
    description: 'a slot: tenant acme has 2 of 2 phases running; 3 jobs of its tenant are ahead of it',
    command: 'phaseline tenants set acme --max-running-phases 6',
  });
  expect(describeSlotWait({ ...wait, tenantLimit: 4, active: 8, ahead: 0 })).toEqual({
    description:
      'a slot: 8 of 8 phases are running, 2 of them for tenant acme, which waits for its turn; it is next in line',
  });
  expect(describeSlotWait(wait).description).toContain('which is free');
});
