import type { PrincipalEvent } from '@phaseline/domain';
import { ALL_TENANTS } from '../rights/roles.js';
import type { Caller, RoleGrant } from '../caller/caller.js';
import { IdentityRefused } from '../principal/identity-refused.js';
import type { Principal } from '../principal/principal.js';
import { findAccount, OPEN_ID_ACTOR, type Account } from './account.js';

/** Caller with that id. It hands out what the configured mapping says. */
export const openIdCaller: Caller = {
  id: OPEN_ID_ACTOR,
  kind: 'service',
  roles: [{ role: 'admin', tenant: ALL_TENANTS }],
};

/** An account of an OpenID provider that has proven who it is. */
export interface SignInRequest extends Account {
  /** Roles that its claims give. */
  readonly roles: readonly RoleGrant[];
  /** Id of the principal to create if the account is not linked to one; undefined if none may be created. */
  readonly newId?: string | undefined;
}

/**
 * Returns the events of a sign-in of an account that is linked to `current`, or to none yet. Roles that an earlier sign-in gave and the
 * claims do not give any more are revoked; roles that a person granted stay. Throws IdentityRefused `principal_exists` if the id of a new
 * principal is in use, and `principal_disabled`.
 */
export function decideSignIn(
  current: Principal | undefined,
  { issuer, subject, roles, newId }: SignInRequest,
): readonly PrincipalEvent[] {
  const actor = OPEN_ID_ACTOR;
  if (!current)
    return [
      { type: 'PrincipalCreated', data: { actor, id: newId!, kind: 'person' } },
      { type: 'IdentityLinked', data: { actor, issuer, subject } },
      ...roles.map((role): PrincipalEvent => ({ type: 'RoleGranted', data: { actor, ...role } })),
    ];
  if (!findAccount(current, { issuer, subject }))
    throw new IdentityRefused(
      'principal_exists',
      `There is already a principal ${current.id}, and this account is not linked to it.`,
    );
  if (current.disabledAt !== undefined)
    throw new IdentityRefused('principal_disabled', `The principal ${current.id} is disabled.`);
  const has = (list: readonly RoleGrant[], one: RoleGrant): boolean =>
    list.some(({ role, tenant }) => role === one.role && tenant === one.tenant);
  const lost = current.roles.filter((grant) => grant.grantedBy === actor && !has(roles, grant));
  const gained = roles.filter((grant) => !has(current.roles, grant));
  return [
    ...lost.map(({ role, tenant }): PrincipalEvent => ({ type: 'RoleRevoked', data: { actor, role, tenant } })),
    ...gained.map((role): PrincipalEvent => ({ type: 'RoleGranted', data: { actor, ...role } })),
  ];
}
