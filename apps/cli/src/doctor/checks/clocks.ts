import { fail, ok, some, warn, type Check } from '../check.js';

/** A deadline would be missed, or a timer fire, this many times too early or too late: then it is more than untidy. */
const FAR = 30;

/** The clocks of the processes and of this machine against the database's. */
export const clocks: Check = {
  name: 'clocks',
  needs: ['schema'],
  run: async ({ processes, pool, limits, now }) => {
    const asked = now();
    const { rows } = await pool.query<{ ms: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
    const own = (asked + now()) / 2 - Number(rows[0]!.ms);
    const reports = (await processes.report()).filter(({ dead }) => !dead);
    const all = [
      ...reports.map(({ processId, host, clockAheadMs }) => ({ name: `${processId} on ${host}`, ahead: clockAheadMs })),
      { name: 'this machine', ahead: own },
    ];
    const off = all.filter(({ ahead }) => Math.abs(ahead ?? 0) > limits.clockMs);
    if (off.length === 0) return ok(`${all.length} clocks within ${limits.clockMs / 1_000} s of the database's`);
    const text = `clocks are not those of the database: ${some(off.map(({ name, ahead }) => `${name} ${said(ahead!)}`))}; deadlines and timers come too early or too late`;
    const mend = 'let the machines set their clocks by the network (timedatectl set-ntp true)';
    return off.some(({ ahead }) => Math.abs(ahead!) > FAR * limits.clockMs) ? fail(text, mend) : warn(text, mend);
  },
};

function said(ahead: number): string {
  return `${(Math.abs(ahead) / 1_000).toFixed(1)} s ${ahead > 0 ? 'ahead' : 'behind'}`;
}
