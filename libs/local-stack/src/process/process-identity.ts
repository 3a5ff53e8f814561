import { readFile, readlink } from 'node:fs/promises';

/** Identifies a process uniquely, although process ids are reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot; undefined if there is no /proc, in which case only the pid is compared. */
  readonly startedAt?: string | undefined;
}

export async function identifyThisProcess(): Promise<ProcessIdentity> {
  return { pid: process.pid, startedAt: await readStartTime(process.pid) };
}

/** Whether this process is still running. */
export async function isSameProcess(known: ProcessIdentity): Promise<boolean> {
  return isAlive(known.pid) && (known.startedAt === undefined || known.startedAt === (await readStartTime(known.pid)));
}

/** Whether a process with this id exists, even if it belongs to another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns the working directory of a process; undefined if it cannot be read. */
export async function readWorkingDirectory(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined);
}

async function readStartTime(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The second field is the command in parentheses, which may contain blanks and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
