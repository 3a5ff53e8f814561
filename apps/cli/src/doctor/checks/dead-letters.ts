import { counted } from '../../output/quantities.js';
import { ok, warn, type Check } from '../check.js';

/** Reasons that are told one by one. */
const SHOWN = 5;

/** Messages that were given up and wait for a person, by reason. */
export const deadLetters: Check = {
  name: 'dead-letters',
  needs: ['schema'],
  run: async ({ pool }) => {
    const { rows } = await pool.query<{ queue: string; reason: string; letters: string; id: string }>(
      // Ids and numbers differ from one letter to the next that is the same.
      `SELECT queue, regexp_replace(left(reason, 200), '[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+', '…', 'g') AS reason,
              count(*) AS letters, max(id) AS id
         FROM phaseline.dead_letters WHERE retried_at IS NULL AND discarded_at IS NULL GROUP BY 1, 2 ORDER BY letters DESC, id DESC`,
    );
    if (rows.length === 0) return ok('none');
    const all = rows.reduce((sum, { letters }) => sum + Number(letters), 0);
    const more = rows.length > SHOWN ? `, and ${counted(rows.length - SHOWN, 'further reason')}` : '';
    const told = rows.slice(0, SHOWN).map(({ queue, reason, letters }) => `${letters} on ${queue}: ${reason}`);
    return warn(
      `${counted(all, 'message')} ${all === 1 ? 'was' : 'were'} given up: ${told.join('; ')}${more}`,
      `phaseline dead-letters lists them; when the cause is repaired: phaseline dead-letters retry ${rows[0]!.id}, or discard`,
    );
  },
};
