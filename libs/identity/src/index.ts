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
export { compareSecrets } from './secrets/compare-secrets.js';
export { SecretInvalid, SecretMissing, SecretsUnavailable } from './secrets/secret-errors.js';
export { SecretStore, type SecretScope } from './secrets/secret-store.js';
export { SessionStore } from './sessions/session-store.js';
export { rightDefinitions, rights, type Right } from './rights/rights.js';
export { ALL_TENANTS, roleDefinitions, roles, type Role } from './rights/roles.js';
export { parseKeyPrefix } from './key/api-key.js';
export { KeyDirectory } from './key/key-directory.js';
export { IdentityRefused } from './principal/identity-refused.js';
export type { Principal, PrincipalKey } from './principal/principal.js';
export { Principals } from './principal/principals.js';
