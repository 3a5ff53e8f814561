import type pg from 'pg';

/**
 * Returns the reasons why the current login could change or remove events, or disable the triggers that prevent it. Empty for a member
 * of only phaseline_service. The triggers prevent mistakes of an owner; only missing rights stop a compromised service.
 */
export async function findExcessRights(pool: pg.Pool | pg.ClientBase): Promise<string[]> {
  const { rows } = await pool.query<{ superuser: boolean; owner: boolean; rights: string | null }>(
    `SELECT r.rolsuper AS superuser, pg_has_role(r.oid, c.relowner, 'MEMBER') AS owner,
            (SELECT string_agg(p, ', ') FROM unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS p
             WHERE has_table_privilege(r.oid, c.oid, p)) AS rights
     FROM pg_catalog.pg_roles AS r, pg_catalog.pg_class AS c
     WHERE r.rolname = current_user AND c.oid = 'phaseline.events'::regclass`,
  );
  const { superuser, owner, rights } = rows[0]!;
  if (superuser) return ['it is a superuser'];
  if (owner) return ['it owns the log'];
  return rights === null ? [] : [`it has the right to ${rights} on events`];
}
