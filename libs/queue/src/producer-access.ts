import { randomBytes } from 'node:crypto';
import type { QueuedMessageId } from '@phaseline/contracts';
import pg from 'pg';
import { QUEUE_SCHEMA } from './backends/postgres-backend.js';

/** Group role of logins whose only right is to add requests to the queue `jobs`. */
export const producerRole = 'phaseline_producer';

/** Maximum size of a request in bytes of JSON text. Larger documents are sent to the HTTP API as files of a form. */
const MAX_REQUEST_BYTES = 48 * 1024 * 1024;

/**
 * Statement that creates the function producers call. The function runs with its owner's rights, so a producer needs no rights on
 * the queue's tables and can neither read messages nor reach another queue. The message id is prefixed with the login, which tells the
 * orchestrator for which principal the message is, and so that two producers that number their orders in the same way do not use the
 * same ids.
 */
const createAddToJobs = `
CREATE OR REPLACE FUNCTION ${QUEUE_SCHEMA}.add_to_jobs(p_request json, p_message_id text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${QUEUE_SCHEMA}, pg_temp AS $$
BEGIN
  IF json_typeof(p_request) IS DISTINCT FROM 'object' THEN
    RAISE EXCEPTION 'a request is a JSON object such as {"agent": "creator"}' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- The part of an id before the first dot must be the whole login. It also becomes the id of a principal.
  IF session_user !~ '^[A-Za-z0-9_-]{1,63}$' THEN
    RAISE EXCEPTION 'the login of a producer has only letters, digits, underscores and hyphens'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF octet_length(p_request::text) > ${MAX_REQUEST_BYTES} THEN
    RAISE EXCEPTION 'a request has at most ${MAX_REQUEST_BYTES} bytes' USING ERRCODE = 'program_limit_exceeded',
      HINT = 'Send large documents to POST /v1/jobs as files of a form.';
  END IF;
  IF p_message_id !~ '^[A-Za-z0-9._-]{1,200}$' THEN
    RAISE EXCEPTION 'a message id has 1 to 200 letters, digits, dots, underscores and hyphens'
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  RETURN ${QUEUE_SCHEMA}.add_job('jobs', session_user || '.' || coalesce(p_message_id, gen_random_uuid()::text), 'submit', p_request::jsonb, '{}',
    0, 0, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, 1, NULL, NULL, NULL, NULL, NULL, false);
END
$$`;

/**
 * Creates the producers' function and grants it to their group role. If this login may not create the role, producers cannot be
 * used until a superuser has created it and the migration has run again; nothing else depends on it.
 */
export async function grantProducerAccess(client: pg.Client): Promise<void> {
  await client.query(createAddToJobs);
  await client.query(`REVOKE ALL ON FUNCTION ${QUEUE_SCHEMA}.add_to_jobs FROM PUBLIC`);
  await client.query(`
    DO $$
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = '${producerRole}') THEN
        CREATE ROLE ${producerRole} NOLOGIN;
      END IF;
      GRANT USAGE ON SCHEMA ${QUEUE_SCHEMA} TO ${producerRole};
      GRANT EXECUTE ON FUNCTION ${QUEUE_SCHEMA}.add_to_jobs TO ${producerRole};
    EXCEPTION
      -- Roles belong to the whole cluster: the migration of another database may have created it concurrently.
      WHEN duplicate_object OR unique_violation THEN
        GRANT USAGE ON SCHEMA ${QUEUE_SCHEMA} TO ${producerRole};
        GRANT EXECUTE ON FUNCTION ${QUEUE_SCHEMA}.add_to_jobs TO ${producerRole};
      WHEN insufficient_privilege THEN NULL;
    END
    $$`);
}

/**
 * Returns the login that added a message with this id on the PostgreSQL backend; undefined if it was added by a service's own login, and
 * has no such id. On Redis nothing proves who sent a message.
 */
export function parseProducerLogin(messageId: QueuedMessageId): string | undefined {
  return /^([A-Za-z0-9_-]{1,63})\./.exec(messageId)?.[1];
}

/** Returns a message id that names the same login as that of another message. */
export function keepProducerLogin(messageId: QueuedMessageId, id: string): string {
  const login = parseProducerLogin(messageId);
  return login === undefined ? id : `${login}.${id}`;
}

/** Thrown when a login for a producer cannot be created. `code` is the reason; the message says what to do. */
export class ProducerRefused extends Error {
  constructor(
    readonly code: 'producer_name_invalid' | 'producer_name_taken' | 'may_not_create_roles' | 'queue_not_migrated',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ProducerRefused';
  }
}

/**
 * Creates a login whose only right is to call `bullmq.add_to_jobs`, and returns its connection string. The password is stored only
 * as a verifier in PostgreSQL.
 *
 * @param ownerUrl a login that may create roles and grant `phaseline_producer`
 * @throws ProducerRefused
 */
export async function createProducer(ownerUrl: string, name: string): Promise<string> {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name) || /^(?:pg_|phaseline)/.test(name))
    throw new ProducerRefused(
      'producer_name_invalid',
      `${JSON.stringify(name)} is not a valid producer name. Use up to 63 lower-case letters, digits and underscores, starting with a letter, but not with pg_ or phaseline.`,
    );
  const url = new URL(ownerUrl);
  const password = randomBytes(24).toString('base64url');
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'phaseline-producers' });
  await client.connect();
  try {
    const login = client.escapeIdentifier(name);
    await client.query(`CREATE ROLE ${login} LOGIN PASSWORD ${client.escapeLiteral(password)} IN ROLE ${producerRole}`);
  } catch (cause) {
    throw toProducerRefused(cause, name) ?? cause;
  } finally {
    await client.end();
  }
  url.username = name;
  url.password = password;
  return url.href;
}

function toProducerRefused(cause: unknown, name: string): ProducerRefused | undefined {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === '42710')
    return new ProducerRefused('producer_name_taken', `The role ${name} already exists. Choose another name.`, {
      cause,
    });
  if (code === '42501')
    return new ProducerRefused(
      'may_not_create_roles',
      `This login may not create roles. Run as a superuser: CREATE ROLE ${name} LOGIN PASSWORD '…' IN ROLE ${producerRole};`,
      { cause },
    );
  if (code === '42704')
    return new ProducerRefused(
      'queue_not_migrated',
      `The database has no role ${producerRole}. Run as a superuser: CREATE ROLE ${producerRole} NOLOGIN; then run: phaseline migrate`,
      { cause },
    );
  return undefined;
}
