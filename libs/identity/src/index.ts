export {
  hasRight,
  hasRightSomewhere,
  includesTenant,
  listTenantsWithRight,
  toActor,
  type Caller,
  type TenantSelection,
} from './caller/caller.js';
export { compareSecrets } from './secrets/compare-secrets.js';
export { SecretInvalid, SecretMissing, SecretsUnavailable } from './secrets/secret-errors.js';
export { SecretStore, type SecretScope } from './secrets/secret-store.js';
export { SessionStore, type SignInAttempt } from './sessions/session-store.js';
export { rights, type Right } from './rights/rights.js';
export { ALL_TENANTS, roles, type Role } from './rights/roles.js';
export { parseKeyPrefix } from './key/api-key.js';
export { KeyDirectory } from './key/key-directory.js';
export { comparePreferences, rebuildPreferences } from './preferences/compare-preferences.js';
export { PreferencesOutdated, PreferenceStore, type PreferenceOwner } from './preferences/preference-store.js';
export { comparePrincipals } from './principal/compare-principals.js';
export { Principals } from './principal/principals.js';
export { mapClaims, readClaim, type ClaimMapping, type Claims, type MappedRole } from './open-id/map-claims.js';
export { OPEN_ID_ACTOR, type Account } from './open-id/account.js';
export { IdentityRefused } from './principal/identity-refused.js';
export { isRole, type Principal, type PrincipalKey } from './principal/principal.js';
export { rightDefinitions } from './rights/rights.js';
export { roleDefinitions } from './rights/roles.js';
