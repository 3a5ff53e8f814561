import type { AgentDefinition } from '@phaseline/domain';

/** Returns the definition with the settings that hold in a tenant. Jobs do not record those of other tenants. */
export function withTenantSettings(definition: AgentDefinition, tenant: string): AgentDefinition {
  if (!definition.settings?.planning?.tenants) return definition;
  const { tenants, ...planning } = definition.settings.planning;
  const own = Object.hasOwn(tenants, tenant) ? tenants[tenant]! : {};
  const { ALLOW_NEW_SUBTYPE_PROPOSALS, REQUIRE_RFC_FOR_NEW_SUBTYPE } = planning.proposals;
  const proposals = {
    ALLOW_NEW_SUBTYPE_PROPOSALS: own.ALLOW_NEW_SUBTYPE_PROPOSALS ?? ALLOW_NEW_SUBTYPE_PROPOSALS,
    REQUIRE_RFC_FOR_NEW_SUBTYPE: own.REQUIRE_RFC_FOR_NEW_SUBTYPE ?? REQUIRE_RFC_FOR_NEW_SUBTYPE,
  };
  return { ...definition, settings: { ...definition.settings, planning: { ...planning, proposals } } };
}
