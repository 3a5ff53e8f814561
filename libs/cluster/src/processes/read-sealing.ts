import { createHash } from 'node:crypto';
import type { Pool } from 'pg';

/**
 * Reads the secret with which services seal what they hand over to each other. What they seal are events, so only releases that write the
 * same versions of all events, `eventVersions`, open it.
 */
export async function readSealing(
  pool: Pool,
  eventVersions: Readonly<Record<string, number>>,
): Promise<{ readonly secret: Buffer; readonly format: string }> {
  const { rows } = await pool.query<{ secret: Buffer }>('SELECT secret FROM phaseline.hand_over_secret');
  const [row] = rows;
  if (!row) throw new Error('the table phaseline.hand_over_secret is empty');
  return { secret: row.secret, format: createHash('sha256').update(JSON.stringify(eventVersions)).digest('hex') };
}
