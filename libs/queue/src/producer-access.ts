import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { schema } from './backends/postgres-backend.js';

/** The group role of logins that may add requests to the queue `jobs` and do nothing else. */
export const producerRole = 'phaseline_producer';

/** Size of the largest request in bytes of JSON text. Larger documents go through the HTTP API as files of a form. */
const MAX_REQUEST_BYTES = 48 * 1024 * 1024;

/**
 * The function that producers call. It runs with its owner's rights, so a producer needs none on the queue's tables and can
 * neither read messages nor reach another queue. The login stands in front of the message id, so that two producers who count
 * their orders alike do not take each other's ids.
 */
const addRequest = `
CREATE OR REPLACE FUNCTION ${schema}.add_to_jobs(p_request json, p_message_id text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${schema}, pg_temp AS $$
BEGIN
  IF json_typeof(p_request) IS DISTINCT FROM 'object' THEN
    RAISE EXCEPTION 'a request is a JSON object such as {"agent": "creator"}' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF octet_length(p_request::text) > ${MAX_REQUEST_BYTES} THEN
    RAISE EXCEPTION 'a request has at most ${MAX_REQUEST_BYTES} bytes' USING ERRCODE = 'program_limit_exceeded',
      HINT = 'Send large documents to POST /v1/jobs as files of a form.';
  END IF;
  IF p_message_id !~ '^[A-Za-z0-9._-]{1,200}$' THEN
    RAISE EXCEPTION 'a message id has 1 to 200 letters, digits, dots, underscores and hyphens'
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  RETURN ${schema}.add_job('jobs', session_user || '.' || coalesce(p_message_id, gen_random_uuid()::text), 'submit', p_request::jsonb, '{}',
    0, 0, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, 1, NULL, NULL, NULL, NULL, NULL, false);
END
$$`;

/**
 * Makes the producers' function and gives it to their group role. Where this login may not make the role, producers have to
 * wait until a superuser has made it and the migration is run again; nothing else depends on it.
 */
export async function grantProducerAccess(client: pg.Client): Promise<void> {
  await client.query(addRequest);
  await client.query(`REVOKE ALL ON FUNCTION ${schema}.add_to_jobs FROM PUBLIC`);
  await client.query(`
    DO $$
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = '${producerRole}') THEN
        CREATE ROLE ${producerRole} NOLOGIN;
      END IF;
      GRANT USAGE ON SCHEMA ${schema} TO ${producerRole};
      GRANT EXECUTE ON FUNCTION ${schema}.add_to_jobs TO ${producerRole};
    EXCEPTION
      -- Roles belong to the whole cluster: another database's migration may have made it at this very moment.
      WHEN duplicate_object OR unique_violation THEN
        GRANT USAGE ON SCHEMA ${schema} TO ${producerRole};
        GRANT EXECUTE ON FUNCTION ${schema}.add_to_jobs TO ${producerRole};
      WHEN insufficient_privilege THEN NULL;
    END
    $$`);
}

/** Why a login for a producer cannot be made. `code` tells the cases apart; the message says what to do. */
export class ProducerRefused extends Error {
  constructor(
    readonly code: 'bad_name' | 'name_taken' | 'may_not_make_roles' | 'not_migrated',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ProducerRefused';
  }
}

/**
 * Makes a login that may call `bullmq.add_to_jobs` and nothing else. Returns its connection string; the password is stored
 * nowhere but, as a verifier, in PostgreSQL.
 *
 * @param ownerUrl a login that may make roles and grant `phaseline_producer`
 * @throws ProducerRefused
 */
export async function createProducer(ownerUrl: string, name: string): Promise<string> {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name) || /^(?:pg_|phaseline)/.test(name))
    throw new ProducerRefused(
      'bad_name',
      `${JSON.stringify(name)} cannot be the name of a producer: use up to 63 lower-case letters, digits and underscores, beginning with a letter, but not with pg_ or phaseline.`,
    );
  const url = new URL(ownerUrl);
  const password = randomBytes(24).toString('base64url');
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'phaseline-producers' });
  await client.connect();
  try {
    const login = client.escapeIdentifier(name);
    await client.query(`CREATE ROLE ${login} LOGIN PASSWORD ${client.escapeLiteral(password)} IN ROLE ${producerRole}`);
  } catch (cause) {
    throw refusal(cause, name) ?? cause;
  } finally {
    await client.end();
  }
  url.username = name;
  url.password = password;
  return url.href;
}

function refusal(cause: unknown, name: string): ProducerRefused | undefined {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === '42710')
    return new ProducerRefused('name_taken', `The database has a role ${name} already. Choose another name.`, {
      cause,
    });
  if (code === '42501')
    return new ProducerRefused(
      'may_not_make_roles',
      `This login may not make roles. Run as a superuser: CREATE ROLE ${name} LOGIN PASSWORD '…' IN ROLE ${producerRole};`,
      { cause },
    );
  if (code === '42704')
    return new ProducerRefused(
      'not_migrated',
      `The database has no role ${producerRole}. Run as a superuser: CREATE ROLE ${producerRole} NOLOGIN; then run: phaseline migrate`,
      { cause },
    );
  return undefined;
}
