import type { Queryable } from '@phaseline/event-store';

/**
 * Two advisory locks of the database. They are taken in separate statements, so that the next statement sees what
 * was committed before the lock was granted.
 */

const KEY = `hashtextextended('phaseline.read-models', 7406318260)`;
const REBUILD_KEY = `hashtextextended('phaseline.read-models', 7406318261)`;

/**
 * Taken while rows are written: versions cannot change until the transaction ends. Any number of transactions may hold
 * it.
 */
export async function lockVersionsShared(transaction: Queryable): Promise<void> {
  await transaction.query(`SELECT pg_advisory_xact_lock_shared(${KEY})`);
}

/** Taken while versions change: waits for running writers and blocks new ones until the transaction ends. */
export async function lockVersionsExclusive(transaction: Queryable): Promise<void> {
  await transaction.query(`SELECT pg_advisory_xact_lock(${KEY})`);
}

/** Takes the lock of a rebuild, which is bound to the connection. Returns false when another connection holds it. */
export async function tryLockRebuild(connection: Queryable): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(`SELECT pg_try_advisory_lock(${REBUILD_KEY}) AS locked`);
  return rows[0]?.locked ?? false;
}

export async function unlockRebuild(connection: Queryable): Promise<void> {
  await connection.query(`SELECT pg_advisory_unlock(${REBUILD_KEY})`);
}
