import { fail, ok, some, warn, type Check, type Finding } from '../check.js';
import type { Patient } from '../patient.js';

/** What the services cannot do without. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  streams: ['SELECT'],
  events: ['SELECT'],
  blobs: ['SELECT', 'INSERT'],
  migrations: ['SELECT'],
  subscriptions: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  subscription_members: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  processes: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  dead_letters: ['SELECT', 'INSERT', 'UPDATE'],
  quarantine: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
};
/** What nobody but the append function may do. */
const FORBIDDEN = ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'];

/** The rights of the services' login: enough to work, and not enough to change what has happened. */
export const rights: Check = {
  name: 'rights',
  needs: ['schema'],
  run: async (patient) => {
    const findings: Finding[] = [];
    const { login, superuser, member } = await whoIs(patient);
    const lacking = await lacks(patient);
    if (lacking.length > 0)
      findings.push(
        fail(
          `the login ${login} lacks rights: ${some(lacking)}`,
          `as the owner of the database: GRANT phaseline_service TO "${login}"`,
        ),
      );
    const owner = superuser || (await mayChangeEvents(patient)).length > 0;
    if (owner)
      findings.push(
        warn(
          `the services log in as ${login}, who may change the log${superuser ? ' (a superuser)' : ''}; the database cannot keep a faulty or stolen service from rewriting it`,
          'make a login of their own: PHASELINE_APP_PASSWORD=… phaseline migrate, then DATABASE_URL with phaseline_app',
        ),
      );
    const open = (await triggers(patient)).filter(({ enabled }) => enabled !== 'A').map(({ name }) => name);
    if (open.length > 0)
      findings.push(
        fail(
          `${some(open)} does not guard the log: somebody has switched it off`,
          `as the owner: ALTER TABLE phaseline.events ENABLE ALWAYS TRIGGER ${open[0]}; then phaseline audit verify`,
        ),
      );
    if (findings.length > 0) return findings;
    return ok(
      `${login} may do what services do, and no more${member ? '' : ' (not as a member of phaseline_service)'}`,
    );
  },
};

async function whoIs({ servicePool }: Patient): Promise<{ login: string; superuser: boolean; member: boolean }> {
  const { rows } = await servicePool.query<{ login: string; superuser: boolean; member: boolean }>(
    `SELECT current_user AS login, r.rolsuper AS superuser,
            EXISTS (SELECT FROM pg_roles WHERE rolname = 'phaseline_service')
              AND pg_has_role(current_user, 'phaseline_service', 'MEMBER') AS member
       FROM pg_roles AS r WHERE r.rolname = current_user`,
  );
  return rows[0]!;
}

async function lacks({ servicePool, queue }: Patient): Promise<string[]> {
  const wanted = Object.entries(NEEDED).flatMap(([table, rights]) => rights.map((right) => ({ table, right })));
  const { rows } = await servicePool.query<{ what: string }>(
    `SELECT w.privilege || ' on ' || w.name AS what FROM unnest($1::text[], $2::text[]) AS w(name, privilege)
      WHERE to_regclass('phaseline.' || w.name) IS NULL
         OR NOT has_table_privilege(to_regclass('phaseline.' || w.name)::oid, w.privilege)
     UNION ALL
     SELECT 'EXECUTE on ' || p.proname FROM pg_proc AS p
      WHERE p.pronamespace = 'phaseline'::regnamespace AND p.proname IN ('append', 'append_one')
        AND NOT has_function_privilege(p.oid, 'EXECUTE')
     UNION ALL
     SELECT 'USAGE on the schema bullmq' WHERE $3 AND to_regnamespace('bullmq') IS NOT NULL
        AND NOT has_schema_privilege(to_regnamespace('bullmq')::oid, 'USAGE')`,
    [wanted.map(({ table }) => table), wanted.map(({ right }) => right), queue.backend === 'postgres'],
  );
  return rows.map(({ what }) => what);
}

async function mayChangeEvents({ servicePool }: Patient): Promise<string[]> {
  const { rows } = await servicePool.query<{ right: string }>(
    `SELECT r AS right FROM unnest($1::text[]) AS r WHERE has_table_privilege('phaseline.events', r)`,
    [FORBIDDEN],
  );
  return rows.map(({ right }) => right);
}

async function triggers({ pool }: Patient): Promise<{ name: string; enabled: string }[]> {
  const { rows } = await pool.query<{ name: string; enabled: string }>(
    `SELECT tgname AS name, tgenabled AS enabled FROM pg_trigger
      WHERE tgrelid = 'phaseline.events'::regclass AND NOT tgisinternal`,
  );
  return rows.length > 0 ? rows : [{ name: 'events_are_append_only', enabled: 'missing' }];
}
