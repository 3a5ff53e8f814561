import { runMigrations } from 'bullmq';
import pg from 'pg';
import { schema } from './backends/postgres-backend.js';
import { queueNames } from './catalogue.js';
import { grantProducerAccess } from './producer-access.js';

/** The group role that services belong to. The migrations of the event log make it; here it is only given rights. */
const serviceRole = 'phaseline_service';

/**
 * Brings the queue tables (schema `bullmq`) up to date and gives the services the right to use them. Safe to run again and by
 * several processes at once. Run it before any service that uses the PostgreSQL backend.
 *
 * @param ownerUrl a login that owns the database, or at least may create the schema in it
 */
export async function migrateQueues(ownerUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'phaseline-migrate' });
  await client.connect();
  try {
    // Grants of two migrators at once collide ("tuple concurrently updated"). The lock goes with the connection.
    await client.query('SELECT pg_advisory_lock(hashtext($1))', ['phaseline:migrate-queues']);
    await runMigrations(client as never, schema);
    await grantProducerAccess(client);
    const { rows } = await client.query('SELECT FROM pg_catalog.pg_roles WHERE rolname = $1', [serviceRole]);
    if (rows.length === 0) return;
    // Numbered ids, which foreign producers use, come from a sequence a queue. It is made on first use, which services may not do.
    for (const name of queueNames) await client.query(`SELECT ${schema}.next_job_id($1)`, [name]);
    await client.query(`
      GRANT USAGE ON SCHEMA ${schema} TO ${serviceRole};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${serviceRole};
      GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${serviceRole};
      GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${serviceRole}`);
  } finally {
    await client.end();
  }
}
