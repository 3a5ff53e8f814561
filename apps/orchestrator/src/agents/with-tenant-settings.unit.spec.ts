import { agentDefinitionSchema } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { withTenantSettings } from './with-tenant-settings.js';

const define = (settings?: object) =>
  agentDefinitionSchema.parse({
    name: 'planner',
    displayName: 'Planner',
    tools: { strategic: [], tactical: [] },
    ...(settings && { settings }),
  });
const planner = define({
  planning: {
    proposals: { REQUIRE_RFC_FOR_NEW_SUBTYPE: false },
    tenants: { strict: { ALLOW_NEW_SUBTYPE_PROPOSALS: false, REQUIRE_RFC_FOR_NEW_SUBTYPE: true } },
  },
});

describe('an agent whose tenants have settings', () => {
  it.each([
    ['strict', { ALLOW_NEW_SUBTYPE_PROPOSALS: false, REQUIRE_RFC_FOR_NEW_SUBTYPE: true }],
    ['other', { ALLOW_NEW_SUBTYPE_PROPOSALS: true, REQUIRE_RFC_FOR_NEW_SUBTYPE: false }],
    ['constructor', { ALLOW_NEW_SUBTYPE_PROPOSALS: true, REQUIRE_RFC_FOR_NEW_SUBTYPE: false }],
  ])('has those of the tenant %s, and names no other tenant', (tenant, proposals) => {
    const { planning } = withTenantSettings(planner, tenant).settings!;
    expect(planning).toEqual({ ...planner.settings!.planning, tenants: undefined, proposals });
    expect(planning).not.toHaveProperty('tenants');
  });

  it('is unchanged without them', () => {
    const plain = define();
    expect(withTenantSettings(plain, 'strict')).toBe(plain);
  });
});
