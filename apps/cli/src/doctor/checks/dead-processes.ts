import { fail, ok, some, type Check } from '../check.js';

/** Processes that died while they held work which nobody has taken over. */
export const deadProcesses: Check = {
  name: 'dead-processes',
  needs: ['schema'],
  run: async ({ processes, pool, limits }) => {
    const dead = (await processes.report()).filter(({ dead: gone, holds }) => gone && holds.length > 0);
    const late = dead.filter(({ silentForMs }) => silentForMs > limits.mendedMs);
    const streams = [...new Set(late.flatMap(({ holds }) => holds.map((holding) => holding.split('/', 1)[0]!)))];
    // What was written since, or has ended, somebody has taken over.
    const { rows } = await pool.query<{ stream_id: string; updated_at: Date }>(
      'SELECT stream_id, updated_at FROM phaseline.streams WHERE stream_id = ANY ($1::text[]) AND NOT closed',
      [streams],
    );
    const moved = new Map(rows.map((row) => [row.stream_id, row.updated_at.getTime()]));
    const left = late.flatMap(({ processId, heartbeatAt, holds }) => {
      const held = holds.filter((holding) => {
        const at = moved.get(holding.split('/', 1)[0]!);
        return at !== undefined && at <= Date.parse(heartbeatAt);
      });
      return held.length > 0 ? [{ processId, heartbeatAt, held }] : [];
    });
    if (left.length === 0) return ok(dead.length === 0 ? 'none holds anything' : 'what they held was taken over');
    return left.map(({ processId, heartbeatAt, held }) =>
      fail(
        `${processId} died after ${heartbeatAt} and held ${some(held)}, which nobody has taken over`,
        'start an orchestrator and the workers (phaseline up): the reconciler sends it on',
      ),
    );
  },
};
