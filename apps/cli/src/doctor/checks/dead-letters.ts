import { pluralise } from '../../output/quantities.js';
import { ok, warn, type Check } from '../check.js';

const MAX_REASONS_SHOWN = 5;

/** Reports open dead letters by reason. */
export const deadLetters: Check = {
  name: 'dead-letters',
  needs: ['schema'],
  run: async ({ pool }) => {
    const { rows } = await pool.query<{ queue: string; reason: string; letters: string; id: string }>(
      // Ids and numbers differ between dead letters with the same cause.
      `SELECT queue, regexp_replace(left(reason, 200), '[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+', '…', 'g') AS reason,
              count(*) AS letters, max(id) AS id
         FROM phaseline.dead_letters WHERE retried_at IS NULL AND discarded_at IS NULL GROUP BY 1, 2 ORDER BY letters DESC, id DESC`,
    );
    if (rows.length === 0) return ok('none');
    const all = rows.reduce((sum, { letters }) => sum + Number(letters), 0);
    const hidden = rows.length - MAX_REASONS_SHOWN;
    const more = hidden > 0 ? `, and ${pluralise(hidden, 'further reason')}` : '';
    const shown = rows
      .slice(0, MAX_REASONS_SHOWN)
      .map(({ queue, reason, letters }) => `${letters} on ${queue}: ${reason}`);
    return warn(
      `${pluralise(all, 'dead letter')}: ${shown.join('; ')}${more}`,
      `list them with: phaseline dead-letters; once the cause is fixed: phaseline dead-letters retry ${rows[0]!.id}, or discard`,
    );
  },
};
