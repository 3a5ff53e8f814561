import { runMigrations } from 'bullmq';
import pg from 'pg';
import { QUEUE_SCHEMA } from './backends/postgres-backend.js';
import { queueNames } from '@phaseline/contracts';
import { grantProducerAccess } from './producer-access.js';

/** Group role of the services. Created by the migrations of the event log; this module only grants it rights. */
const serviceRole = 'phaseline_service';

/**
 * Migrates the queue tables (schema `bullmq`) and grants the services access to them. Safe to repeat and to run from several
 * processes concurrently. Run it before starting any service that uses the PostgreSQL backend.
 *
 * @param ownerUrl a login that owns the database, or may create a schema in it
 */
export async function migrateQueues(ownerUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'phaseline-migrate' });
  await client.connect();
  try {
    // Concurrent grants fail ("tuple concurrently updated"). The lock is released with the connection.
    await client.query('SELECT pg_advisory_lock(hashtext($1))', ['phaseline:migrate-queues']);
    // BullMQ declares a narrower query function than that of pg.
    await runMigrations(client as never, QUEUE_SCHEMA);
    await grantProducerAccess(client);
    const { rows } = await client.query('SELECT FROM pg_catalog.pg_roles WHERE rolname = $1', [serviceRole]);
    if (rows.length === 0) return;
    // Foreign producers use numbered ids, drawn from one sequence per queue. It is created on first use, for which services lack the right.
    for (const name of queueNames) await client.query(`SELECT ${QUEUE_SCHEMA}.next_job_id($1)`, [name]);
    await client.query(`
      GRANT USAGE ON SCHEMA ${QUEUE_SCHEMA} TO ${serviceRole};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${QUEUE_SCHEMA} TO ${serviceRole};
      GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${QUEUE_SCHEMA} TO ${serviceRole};
      GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${QUEUE_SCHEMA} TO ${serviceRole}`);
  } finally {
    await client.end();
  }
}
