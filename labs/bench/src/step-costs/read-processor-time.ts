import { readdir, readFile } from 'node:fs/promises';

/** Length in microseconds of the unit of the times in /proc, which is the same on every processor that Node.js supports. */
const TICK_MICROS = 10_000;

/**
 * Reads the processor time in microseconds of a process, its running children, and its children that have ended. Reads no further
 * descendants: the processes of PostgreSQL have none.
 */
export async function readProcessorMicros(pid: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const processes = (await Promise.all(pids.map(readStat))).filter((stat) => stat !== undefined);
  let ticks = 0;
  for (const stat of processes) {
    if (stat.pid === pid) ticks += stat.ownTicks + stat.endedChildrenTicks;
    else if (stat.parentPid === pid) ticks += stat.ownTicks;
  }
  return ticks * TICK_MICROS;
}

async function readStat(pid: number) {
  // The process may have ended since.
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The name of the program, in parentheses, may contain anything; the fields after it are numbers but for the first, the state.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return {
    pid,
    parentPid: fields[1]!,
    ownTicks: fields[11]! + fields[12]!,
    endedChildrenTicks: fields[13]! + fields[14]!,
  };
}
