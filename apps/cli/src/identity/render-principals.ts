import type { PrincipalRecord } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { renderTable } from '../output/table.js';
import { renderKeys } from './render-keys.js';

interface RenderOptions {
  readonly paint: Paint;
  readonly columns?: number | undefined;
}

export function renderPrincipals(principals: readonly PrincipalRecord[], { paint, columns }: RenderOptions): string[] {
  if (principals.length === 0)
    return [paint.dim('There are no principals. Create one with: phaseline principals create ID')];
  return renderTable<PrincipalRecord>(
    [
      { title: 'ID', cell: ({ id }) => toPrintable(id) },
      { title: 'KIND', cell: ({ kind }) => kind },
      {
        title: 'STATUS',
        cell: getStatus,
        paint: (text, { disabledAt }) => (disabledAt === undefined ? text : paint.yellow(text)),
      },
      { title: 'ROLES', cell: ({ roles }) => toPrintable(roles.map(describeGrant).join(', ') || '-') },
      { title: 'ACCOUNTS', align: 'right', cell: ({ accounts }) => String(accounts?.length ?? '-') },
      { title: 'KEYS', align: 'right', cell: ({ keys }) => String(countActive(keys)) },
      { title: 'CREATED BY', cell: ({ createdBy }) => toPrintable(createdBy) },
    ],
    principals,
    { width: columns, title: paint.dim },
  );
}

/** Renders one principal with who granted its roles and linked its accounts, and its keys. */
export function renderPrincipal(principal: PrincipalRecord, options: RenderOptions): string[] {
  const { id, kind, createdAt, createdBy, roles, keys, accounts = [], disabledAt } = principal;
  return [
    toPrintable(`${id}: ${kind}, created by ${createdBy} at ${createdAt}`),
    ...(disabledAt === undefined ? [] : [options.paint.yellow(`disabled since ${disabledAt}`)]),
    ...(roles.length === 0
      ? [toPrintable(`no role; grant one with: phaseline principals grant ${id} ROLE --tenant TENANT`)]
      : roles.map((grant) =>
          toPrintable(`${describeGrant(grant)}, granted by ${grant.grantedBy} at ${grant.grantedAt}`),
        )),
    ...accounts.map(({ issuer, subject, linkedAt, linkedBy }) =>
      toPrintable(`account ${subject} of ${issuer}, linked by ${linkedBy} at ${linkedAt}`),
    ),
    ...(keys.length === 0 ? [] : renderKeys(keys, options)),
  ];
}

function getStatus({ disabledAt }: PrincipalRecord): string {
  return disabledAt === undefined ? 'enabled' : 'disabled';
}

function describeGrant({ role, tenant }: PrincipalRecord['roles'][number]): string {
  return `${role} in ${tenant === '*' ? 'all tenants' : tenant}`;
}

function countActive(keys: PrincipalRecord['keys']): number {
  return keys.filter(({ status }) => status === 'active').length;
}
