import type { Pool } from 'pg';
import { mapDatabaseError } from '../database/database-errors.js';

/**
 * Removes the checkpoints of a subscription that is not used any more, unless a replica holds its partitions. If it is used again, it
 * starts from the beginning of the log. Throws DatabaseUnreachable.
 */
export async function removeSubscription(pool: Pool, name: string): Promise<void> {
  try {
    await pool.query(
      `DELETE FROM phaseline.subscriptions WHERE name = $1
       AND NOT EXISTS (SELECT FROM phaseline.subscriptions WHERE name = $1 AND lease_expires_at > now())`,
      [name],
    );
  } catch (error) {
    throw mapDatabaseError(error);
  }
}
