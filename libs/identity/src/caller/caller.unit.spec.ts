import { describe, expect, it } from 'vitest';
import { roles } from '../rights/roles.js';
import { hasRight, hasRightSomewhere, listTenantsWithRight, toActor, type Caller } from './caller.js';

const caller = (more: Partial<Caller>): Caller => ({ id: 'ada', kind: 'person', roles: [], ...more });

describe('a caller', () => {
  it('has the rights of a role only in the tenant for which it was granted', () => {
    const operator = caller({ roles: [{ role: 'operator', tenant: 'acme' }] });
    expect(hasRight(operator, 'jobs:control', 'acme')).toBe(true);
    expect(hasRight(operator, 'jobs:control', 'beta')).toBe(false);
    expect(hasRight(operator, 'jobs:control', '*')).toBe(false);
    expect(listTenantsWithRight(operator, 'jobs:control')).toEqual(['acme']);
    expect(hasRight(operator, 'approvals:decide', 'acme')).toBe(false);
  });

  it.each(roles)('with the role %s in one tenant has no right that concerns what tenants share', (role) => {
    const bound = caller({ roles: [{ role, tenant: 'acme' }] });
    for (const right of ['queues:read', 'queues:control', 'tenants:write', 'keys:manage', 'principals:manage'] as const)
      expect(hasRightSomewhere(bound, right)).toBe(false);
  });

  it('with a key that has fewer rights or tenants than its principal has only those of the key', () => {
    const limited = caller({
      roles: [{ role: 'admin', tenant: '*' }],
      limits: { rights: ['jobs:read', 'queues:read'], tenants: ['acme'] },
    });
    expect(hasRight(limited, 'jobs:read', 'acme')).toBe(true);
    expect(hasRight(limited, 'jobs:read', 'beta')).toBe(false);
    expect(hasRight(limited, 'jobs:control', 'acme')).toBe(false);
    expect(hasRightSomewhere(limited, 'queues:read')).toBe(false);
    expect(listTenantsWithRight(limited, 'jobs:read')).toEqual(['acme']);
  });

  it('with a key that names more rights or tenants than its principal has gains nothing', () => {
    const greedy = caller({
      roles: [{ role: 'viewer', tenant: 'acme' }],
      limits: { rights: ['jobs:read', 'jobs:control'], tenants: ['acme', 'beta', '*'] },
    });
    expect(listTenantsWithRight(greedy, 'jobs:read')).toEqual(['acme']);
    expect(hasRightSomewhere(greedy, 'jobs:control')).toBe(false);
  });

  it('that acts for another principal has the rights that both have, and needs the role delegate', () => {
    const ada = { id: 'ada', kind: 'person', roles: [{ role: 'viewer', tenant: 'acme' }] } as const;
    const gateway = { id: 'gateway', kind: 'service', onBehalfOf: ada } as const;
    const delegate = { role: 'delegate', tenant: 'acme' } as const;
    const operator = { role: 'operator', tenant: '*' } as const;
    expect(hasRight({ ...gateway, roles: [operator, delegate] }, 'jobs:read', 'acme')).toBe(true);
    expect(hasRight({ ...gateway, roles: [operator] }, 'jobs:read', 'acme')).toBe(false);
    expect(hasRight({ ...gateway, roles: [delegate] }, 'jobs:read', 'acme')).toBe(false);
    expect(hasRight({ ...gateway, roles: [operator, delegate] }, 'jobs:control', 'acme')).toBe(false);
    expect(toActor({ ...gateway, roles: [] })).toEqual({
      id: 'gateway',
      kind: 'service',
      onBehalfOf: { id: 'ada', kind: 'person' },
    });
  });
});
