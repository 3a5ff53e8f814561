import type { Queryable } from './queryable.js';

/*
 * Two advisory locks of the database. Taken in statements of their own: the next statement then sees what was committed
 * before the lock was given.
 */

const KEY = `hashtextextended('phaseline.read-models', 7406318260)`;
const REBUILD_KEY = `hashtextextended('phaseline.read-models', 7406318261)`;

/** Held while rows are written: the versions do not change until the transaction ends. Many may hold it. */
export async function keepVersions(transaction: Queryable): Promise<void> {
  await transaction.query(`SELECT pg_advisory_xact_lock_shared(${KEY})`, []);
}

/** Held while versions change: waits for those that write, and lets no others begin until the transaction ends. */
export async function changeVersions(transaction: Queryable): Promise<void> {
  await transaction.query(`SELECT pg_advisory_xact_lock(${KEY})`, []);
}

/** Of whoever rebuilds; it goes with the connection. False when somebody else has it. */
export async function tryLockRebuild(connection: Queryable): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_lock(${REBUILD_KEY}) AS locked`,
    [],
  );
  return rows[0]?.locked ?? false;
}

export async function unlockRebuild(connection: Queryable): Promise<void> {
  await connection.query(`SELECT pg_advisory_unlock(${REBUILD_KEY})`, []);
}
