import type { StreamId } from '@phaseline/contracts';
import { fail, ok, formatList, type Check } from '../check.js';

/** Reports processes that died while they held leases that no process has taken over. */
export const deadProcesses: Check = {
  name: 'dead-processes',
  needs: ['schema'],
  run: async ({ processes, pool, limits }) => {
    const dead = (await processes.listReports()).filter((report) => report.isDead && report.leases.length > 0);
    const late = dead.filter(({ silentForMs }) => silentForMs > limits.reconcilerGraceMs);
    const streams = [...new Set(late.flatMap(({ leases }) => leases.map((lease) => lease.split('/', 1)[0]!)))];
    // A stream that was written to since, or has ended, was taken over.
    const { rows } = await pool.query<{ stream_id: StreamId; updated_at: Date }>(
      'SELECT stream_id, updated_at FROM phaseline.streams WHERE stream_id = ANY ($1::text[]) AND NOT closed',
      [streams],
    );
    const updatedAt = new Map(rows.map((row) => [row.stream_id, row.updated_at.getTime()]));
    const abandoned = late.flatMap(({ processId, heartbeatAt, leases }) => {
      const held = leases.filter((lease) => {
        const at = updatedAt.get(lease.split('/', 1)[0]!);
        return at !== undefined && at <= Date.parse(heartbeatAt);
      });
      return held.length > 0 ? [{ processId, heartbeatAt, held }] : [];
    });
    if (abandoned.length === 0) return ok(dead.length === 0 ? 'none holds a lease' : 'their leases were taken over');
    return abandoned.map(({ processId, heartbeatAt, held }) =>
      fail(
        `${processId} died after ${heartbeatAt} while it held ${formatList(held)}, which no process has taken over`,
        'start an orchestrator and the workers (phaseline up): the reconciler hands the work to another process',
      ),
    );
  },
};
