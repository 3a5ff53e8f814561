import { readFile, readlink } from 'node:fs/promises';

/** Names one process for good, although process ids are used again. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In clock ticks since boot; undefined where there is no /proc, and then the pid has to do. */
  readonly startedAt?: string | undefined;
}

export async function thisProcess(): Promise<ProcessIdentity> {
  return { pid: process.pid, startedAt: await startedAt(process.pid) };
}

/** Whether that very process still runs. */
export async function isSameProcess(known: ProcessIdentity): Promise<boolean> {
  return isAlive(known.pid) && (known.startedAt === undefined || known.startedAt === (await startedAt(known.pid)));
}

/** Whether a process with this id exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The working directory of a process, or undefined where that cannot be known. */
export async function workingDirectory(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined);
}

async function startedAt(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The second field is the command in parentheses and may itself hold blanks and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
