import type pg from 'pg';
import type { Principal } from './principal.js';

/** Writes the current state of a principal to the tables, in the transaction of the event that changed it. */
export async function writePrincipal(client: pg.ClientBase, principal: Principal): Promise<void> {
  const { id, kind, createdAt, createdBy, disabledAt, roles, keys, identities } = principal;
  await client.query(
    `INSERT INTO phaseline.principals (id, kind, created_at, created_by, disabled_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (id) DO UPDATE SET disabled_at = excluded.disabled_at`,
    [id, kind, createdAt, createdBy, disabledAt ?? null],
  );
  await client.query('DELETE FROM phaseline.principal_roles WHERE principal_id = $1', [id]);
  for (const { role, tenant, grantedAt, grantedBy } of roles)
    await client.query(
      'INSERT INTO phaseline.principal_roles (principal_id, role, tenant, granted_at, granted_by) VALUES ($1, $2, $3, $4, $5)',
      [id, role, tenant, grantedAt, grantedBy],
    );
  for (const key of keys)
    await client.query(
      `INSERT INTO phaseline.principal_keys
         (prefix, principal_id, digest, label, rights, tenants, created_at, created_by, expires_at, revoked_at)
       VALUES ($1, $2, decode($3, 'hex'), $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (prefix) DO UPDATE SET revoked_at = excluded.revoked_at
       WHERE principal_keys.principal_id = excluded.principal_id`,
      [
        ...[key.prefix, id, key.digest, key.label, key.rights ?? null, key.tenants ?? null],
        ...[key.createdAt, key.createdBy, key.expiresAt ?? null, key.revokedAt ?? null],
      ],
    );
  await client.query('DELETE FROM phaseline.principal_identities WHERE principal_id = $1', [id]);
  for (const { issuer, subject, linkedAt, linkedBy } of identities)
    await client.query(
      // Fails if the account is linked to another principal.
      `INSERT INTO phaseline.principal_identities (issuer, subject, principal_id, linked_at, linked_by)
       VALUES ($1, $2, $3, $4, $5)`,
      [issuer, subject, id, linkedAt, linkedBy],
    );
}

/** Ends the sessions of a principal, and makes its unused links invalid. */
export async function endSessions(client: pg.ClientBase, id: string): Promise<void> {
  await client.query('DELETE FROM phaseline.login_links WHERE principal = $1', [id]);
  await client.query('DELETE FROM phaseline.sessions WHERE principal = $1', [id]);
}

/** Times in the form of the log, so that they can be compared: microseconds, and milliseconds for those from requests. */
const time = (column: string, fraction: 'US' | 'MS' = 'US'): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.${fraction}"Z"')`;

const SELECT_PRINCIPALS = `SELECT jsonb_strip_nulls(jsonb_build_object(
    'id', p.id, 'kind', p.kind, 'createdAt', ${time('p.created_at')}, 'createdBy', p.created_by,
    'disabledAt', ${time('p.disabled_at')},
    'roles', coalesce((SELECT jsonb_agg(jsonb_build_object('role', r.role, 'tenant', r.tenant,
        'grantedAt', ${time('r.granted_at')}, 'grantedBy', r.granted_by) ORDER BY r.granted_at, r.role, r.tenant)
      FROM phaseline.principal_roles AS r WHERE r.principal_id = p.id), '[]'),
    'keys', coalesce((SELECT jsonb_agg(jsonb_build_object('prefix', k.prefix, 'digest', encode(k.digest, 'hex'), 'label', k.label,
        'rights', k.rights, 'tenants', k.tenants, 'createdAt', ${time('k.created_at')}, 'createdBy', k.created_by,
        'expiresAt', ${time('k.expires_at', 'MS')}, 'revokedAt', ${time('k.revoked_at')}) ORDER BY k.created_at, k.prefix)
      FROM phaseline.principal_keys AS k WHERE k.principal_id = p.id), '[]'),
    'identities', coalesce((SELECT jsonb_agg(jsonb_build_object('issuer', i.issuer, 'subject', i.subject,
        'linkedAt', ${time('i.linked_at')}, 'linkedBy', i.linked_by) ORDER BY i.linked_at, i.issuer, i.subject)
      FROM phaseline.principal_identities AS i WHERE i.principal_id = p.id), '[]'))) AS principal
  FROM phaseline.principals AS p`;

/** Reads all principals from the tables, ordered by id. */
export async function readPrincipals(pool: pg.Pool): Promise<readonly Principal[]> {
  const { rows } = await pool.query<{ principal: Principal }>(`${SELECT_PRINCIPALS} ORDER BY p.id`);
  return rows.map(({ principal }) => principal);
}

/** Reads one principal from the tables; undefined if there is none. */
export async function readPrincipal(pool: pg.Pool, id: string): Promise<Principal | undefined> {
  const { rows } = await pool.query<{ principal: Principal }>(`${SELECT_PRINCIPALS} WHERE p.id = $1`, [id]);
  return rows[0]?.principal;
}
