import { fail, ok, formatList, warn, type Check } from '../check.js';
import type { DoctorTarget } from '../doctor-target.js';

/** Privileges that the services need, by table. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  streams: ['SELECT'],
  events: ['SELECT'],
  blobs: ['SELECT', 'INSERT'],
  cold_archives: ['SELECT'],
  cold_streams: ['SELECT'],
  migrations: ['SELECT'],
  subscriptions: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  subscription_members: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  processes: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  dead_letters: ['SELECT', 'INSERT', 'UPDATE'],
  quarantine: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
};
/** Append-only tables, each with the trigger that enforces it. */
const GUARDS: Readonly<Record<string, string>> = {
  events: 'events_are_append_only',
  anchors: 'anchors_are_append_only',
  anchored_heads: 'anchored_heads_are_append_only',
  audit_keys: 'audit_keys_are_append_only',
  blobs: 'blobs_are_append_only',
  blob_manifests: 'blob_manifests_are_append_only',
  blob_pieces: 'blob_pieces_are_append_only',
  blob_marks: 'blob_marks_are_append_only',
  cold_archives: 'cold_archives_are_append_only',
  cold_streams: 'cold_streams_are_append_only',
  encrypted_blobs: 'encrypted_blobs_are_append_only',
  job_keys: 'job_keys_are_kept',
};
/** Privileges on the events that only the append function may have. */
const FORBIDDEN = ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'];

/** Checks the privileges of the services' login: sufficient to work, but not to change the log. */
export const rights: Check = {
  name: 'rights',
  needs: ['schema'],
  run: async function* (target) {
    const { login, superuser, member } = await readLogin(target);
    const missing = await findMissingPrivileges(target);
    if (missing.length > 0)
      yield fail(
        `the login ${login} lacks privileges: ${formatList(missing)}`,
        `as the owner of the database: GRANT phaseline_service TO "${login}"`,
      );
    const canChangeLog = superuser || (await findForbiddenPrivileges(target)).length > 0;
    if (canChangeLog)
      yield warn(
        `the services log in as ${login}, who may change the log${superuser ? ' (a superuser)' : ''}; the database cannot prevent a faulty or compromised service from rewriting it`,
        'create a login for the services: PHASELINE_APP_PASSWORD=… phaseline migrate, then use phaseline_app in DATABASE_URL',
      );
    const disabled = await findDisabledGuards(target);
    if (disabled.length > 0)
      yield fail(
        `${disabled.length === 1 ? 'a trigger that guards' : 'triggers that guard'} the log ${disabled.length === 1 ? 'is' : 'are'} missing or disabled: ${formatList(disabled.map(({ trigger }) => trigger))}`,
        `as the owner: ALTER TABLE phaseline.${disabled[0]!.name} ENABLE ALWAYS TRIGGER ${disabled[0]!.trigger}; then phaseline audit verify`,
      );
    const filters = await findFilters(target);
    if (filters.length > 0)
      yield fail(
        `${formatList(filters)}: readers of the log may not see what is stored`,
        'as the owner: save its definition and remove it; then phaseline audit verify',
      );
    return ok(
      `${login} has exactly the privileges that services need${member ? '' : ' (not as a member of phaseline_service)'}`,
    );
  },
};

async function readLogin({
  servicePool,
}: DoctorTarget): Promise<{ login: string; superuser: boolean; member: boolean }> {
  const { rows } = await servicePool.query<{ login: string; superuser: boolean; member: boolean }>(
    `SELECT current_user AS login, r.rolsuper AS superuser,
            EXISTS (SELECT FROM pg_roles WHERE rolname = 'phaseline_service')
              AND pg_has_role(current_user, 'phaseline_service', 'MEMBER') AS member
       FROM pg_roles AS r WHERE r.rolname = current_user`,
  );
  return rows[0]!;
}

async function findMissingPrivileges({ servicePool, queue }: DoctorTarget): Promise<string[]> {
  const wanted = Object.entries(REQUIRED).flatMap(([table, rights]) => rights.map((right) => ({ table, right })));
  const { rows } = await servicePool.query<{ what: string }>(
    `SELECT w.privilege || ' on ' || w.name AS what FROM unnest($1::text[], $2::text[]) AS w(name, privilege)
      WHERE to_regclass('phaseline.' || w.name) IS NULL
         OR NOT has_table_privilege(to_regclass('phaseline.' || w.name)::oid, w.privilege)
     UNION ALL
     SELECT 'EXECUTE on ' || p.proname FROM pg_proc AS p
      WHERE p.pronamespace = 'phaseline'::regnamespace AND p.proname IN ('append', 'append_one', 'append_event')
        AND NOT has_function_privilege(p.oid, 'EXECUTE')
     UNION ALL
     SELECT 'USAGE on the schema bullmq' WHERE $3 AND to_regnamespace('bullmq') IS NOT NULL
        AND NOT has_schema_privilege(to_regnamespace('bullmq')::oid, 'USAGE')`,
    [wanted.map(({ table }) => table), wanted.map(({ right }) => right), queue.backend === 'postgres'],
  );
  return rows.map(({ what }) => what);
}

async function findForbiddenPrivileges({ servicePool }: DoctorTarget): Promise<string[]> {
  const { rows } = await servicePool.query<{ right: string }>(
    `SELECT r AS right FROM unnest($1::text[]) AS r WHERE has_table_privilege('phaseline.events', r)`,
    [FORBIDDEN],
  );
  return rows.map(({ right }) => right);
}

/** Returns guards that are missing, or that a session can bypass. Migrations create one for each table. */
async function findDisabledGuards({ pool }: DoctorTarget): Promise<{ name: string; trigger: string }[]> {
  const { rows } = await pool.query<{ name: string; trigger: string }>(
    `SELECT g.name, g.trigger FROM unnest($1::text[], $2::text[]) AS g(name, trigger)
       LEFT JOIN pg_trigger AS t ON t.tgrelid = to_regclass('phaseline.' || g.name) AND t.tgname = g.trigger AND NOT t.tgisinternal
      WHERE to_regclass('phaseline.' || g.name) IS NOT NULL AND t.tgenabled IS DISTINCT FROM 'A'`,
    [Object.keys(GUARDS), Object.values(GUARDS)],
  );
  return rows;
}

/**
 * Returns everything that can change reads or writes of the guarded tables: views that replace them, row security,
 * rules, foreign triggers.
 */
async function findFilters({ pool }: DoctorTarget): Promise<string[]> {
  const { rows } = await pool.query<{ what: string }>(
    `WITH guarded AS (
       SELECT g.name, g.trigger, c.oid, c.relkind, c.relrowsecurity
       FROM unnest($1::text[], $2::text[]) AS g(name, trigger) JOIN pg_class AS c ON c.oid = to_regclass('phaseline.' || g.name))
     SELECT 'phaseline.' || name || ' is not a table' AS what FROM guarded WHERE relkind <> 'r'
     UNION ALL SELECT 'row security filters phaseline.' || name FROM guarded WHERE relrowsecurity
     UNION ALL SELECT 'the rule ' || r.rulename || ' changes what is done to phaseline.' || g.name
       FROM guarded AS g JOIN pg_rewrite AS r ON r.ev_class = g.oid WHERE g.relkind = 'r'
     UNION ALL SELECT 'the trigger ' || t.tgname || ' on phaseline.' || g.name || ' does not belong to Phaseline'
       FROM guarded AS g JOIN pg_trigger AS t ON t.tgrelid = g.oid
      WHERE NOT t.tgisinternal AND t.tgname <> g.trigger
     ORDER BY what`,
    [
      [...Object.keys(GUARDS), 'streams'],
      [...Object.values(GUARDS), ''],
    ],
  );
  return rows.map(({ what }) => what);
}
