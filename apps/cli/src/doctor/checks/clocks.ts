import { fail, ok, formatList, warn, type Check } from '../check.js';

/** An offset of more than this many times the limit is a failure, because deadlines are missed and timers fire at the wrong time. */
const FAILURE_FACTOR = 30;

/** Compares the clocks of the processes and of this machine with that of the database. */
export const clocks: Check = {
  name: 'clocks',
  needs: ['schema'],
  run: async ({ processes, pool, limits, now }) => {
    const before = now();
    const { rows } = await pool.query<{ ms: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
    const own = (before + now()) / 2 - Number(rows[0]!.ms);
    const reports = (await processes.listReports()).filter(({ isDead }) => !isDead);
    const all = [
      ...reports.map(({ processId, host, clockAheadMs }) => ({ name: `${processId} on ${host}`, ahead: clockAheadMs })),
      { name: 'this machine', ahead: own },
    ];
    const off = all.filter(({ ahead }) => Math.abs(ahead ?? 0) > limits.clockOffsetMs);
    if (off.length === 0) return ok(`${all.length} clocks within ${limits.clockOffsetMs / 1_000} s of the database's`);
    const offsets = off.map(({ name, ahead }) => `${name} ${describeOffset(ahead!)}`);
    const text = `clocks differ from that of the database: ${formatList(offsets)}; deadlines and timers fire too early or too late`;
    const advice = 'synchronise the clocks of the machines (timedatectl set-ntp true)';
    return off.some(({ ahead }) => Math.abs(ahead!) > FAILURE_FACTOR * limits.clockOffsetMs)
      ? fail(text, advice)
      : warn(text, advice);
  },
};

function describeOffset(ahead: number): string {
  return `${(Math.abs(ahead) / 1_000).toFixed(1)} s ${ahead > 0 ? 'ahead' : 'behind'}`;
}
