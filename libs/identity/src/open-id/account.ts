import type { PrincipalEvent } from '@phaseline/domain';
import { IdentityRefused } from '../principal/identity-refused.js';
import type { LinkedIdentity, Principal } from '../principal/principal.js';

/** Id of the actor that changes principals when they sign in. No principal and no key has it. */
export const OPEN_ID_ACTOR = 'openid-connect';

/** An account of an OpenID provider. */
export interface Account {
  /** URL of the provider. */
  readonly issuer: string;
  /** Id of the account at the provider. */
  readonly subject: string;
}

/**
 * Returns the forms in which the URL of one provider is written: with and without a slash at its end. Providers differ, and an
 * administrator who links an account may write either.
 */
export function listIssuerForms(issuer: string): string[] {
  const bare = issuer.replace(/\/+$/, '');
  return [bare, `${bare}/`];
}

/** Finds the link of an account; undefined if the principal has none. */
export function findAccount(
  { identities }: Pick<Principal, 'identities'>,
  { issuer, subject }: Account,
): LinkedIdentity | undefined {
  const forms = listIssuerForms(issuer);
  return identities.find((known) => forms.includes(known.issuer) && known.subject === subject);
}

/** Returns the event that links an account; undefined if it is linked already. */
export function decideLink(current: Principal, account: Account, actor: string): PrincipalEvent | undefined {
  const { issuer, subject } = account;
  return findAccount(current, account) ? undefined : { type: 'IdentityLinked', data: { actor, issuer, subject } };
}

/**
 * Returns the events that unlink an account. The roles that sign-ins gave are revoked too, because the claims of the account were their
 * reason; if another account is linked, its next sign-in gives its roles again. Throws IdentityRefused `request_refused`.
 */
export function decideUnlink(
  current: Principal,
  account: Account,
  { actor, reason }: { readonly actor: string; readonly reason: string },
): readonly PrincipalEvent[] {
  const linked = findAccount(current, account);
  if (!linked)
    throw new IdentityRefused(
      'request_refused',
      `The account ${JSON.stringify(account.subject)} of ${account.issuer} is not linked to ${current.id}. List its accounts with: phaseline principals show ${current.id}`,
    );
  const { issuer, subject } = linked;
  return [
    { type: 'IdentityUnlinked', data: { actor, issuer, subject, reason } },
    ...current.roles
      .filter(({ grantedBy }) => grantedBy === OPEN_ID_ACTOR)
      .map(({ role, tenant }): PrincipalEvent => ({ type: 'RoleRevoked', data: { actor, role, tenant } })),
  ];
}
