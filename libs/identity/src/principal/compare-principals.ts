import { toCanonicalJson } from '@phaseline/basics';
import { principalStream } from '@phaseline/domain';
import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';
import type { Principal } from './principal.js';
import { readPrincipal, readPrincipals } from './principal-tables.js';

const STREAM_PREFIX = principalStream('');

/**
 * Returns how the tables of principals, roles, keys and linked accounts differ from the log; empty if they agree. Requests are
 * authenticated with the tables, so a key or a role that was written there by hand would work. Throws DatabaseUnreachable.
 */
export async function comparePrincipals(
  pool: pg.Pool,
  fold: (id: string) => Promise<Principal | undefined>,
): Promise<readonly string[]> {
  const streams = await queryRows<{ id: string }>(pool, {
    text: `SELECT substr(stream_id, $2) AS id FROM phaseline.events WHERE stream_id LIKE $1 AND version = 1`,
    values: [`${STREAM_PREFIX}%`, STREAM_PREFIX.length + 1],
  });
  const stored = await readPrincipals(pool);
  const ids = new Set([...streams.map(({ id }) => id), ...stored.map(({ id }) => id)]);
  const differences: string[] = [];
  for (const id of [...ids].sort()) {
    const found = stored.find((principal) => principal.id === id);
    if (describeDifferences(id, await fold(id), found).length === 0) continue;
    // It may have been changed between the two reads, so only a difference that remains is reported.
    const readAgain = await readPrincipal(pool, id);
    differences.push(...describeDifferences(id, await fold(id), readAgain));
  }
  return differences;
}

function describeDifferences(id: string, logged: Principal | undefined, found: Principal | undefined): string[] {
  if (!logged && !found) return [];
  if (!found) return [`the principal ${id} is missing`];
  if (!logged) return [`the principal ${id} is not in the log`];
  const { roles, keys, identities, ...rest } = logged;
  const { roles: foundRoles, keys: foundKeys, identities: foundIdentities, ...foundRest } = found;
  return [
    ...(toCanonicalJson(rest) === toCanonicalJson(foundRest) ? [] : [`the principal ${id} is not as in the log`]),
    ...compareItems(roles, foundRoles, ({ role, tenant }) => `the role ${role} of ${id} in ${tenant}`),
    ...compareItems(keys, foundKeys, ({ prefix }) => `the key ${prefix} of ${id}`),
    ...compareItems(identities, foundIdentities, ({ subject }) => `the account ${subject} of ${id}`),
  ];
}

function compareItems<Item>(logged: readonly Item[], found: readonly Item[], name: (item: Item) => string): string[] {
  const expected = new Map(logged.map((item) => [name(item), toCanonicalJson(item)]));
  const stored = new Map(found.map((item) => [name(item), toCanonicalJson(item)]));
  return [
    ...[...expected].flatMap(([item, text]) => {
      const other = stored.get(item);
      if (other === undefined) return [`${item} is missing`];
      return other === text ? [] : [`${item} is not as in the log`];
    }),
    ...[...stored.keys()].filter((item) => !expected.has(item)).map((item) => `${item} is not in the log`),
  ];
}
