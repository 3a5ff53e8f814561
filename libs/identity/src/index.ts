export {
  hasRight,
  hasRightSomewhere,
  includesTenant,
  listTenantsWithRight,
  toActor,
  type Caller,
  type RoleGrant,
  type TenantSelection,
} from './caller/caller.js';
export { rightDefinitions, rights, type Right } from './rights/rights.js';
export { ALL_TENANTS, roleDefinitions, roles, type Role } from './rights/roles.js';
