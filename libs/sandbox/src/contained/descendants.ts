import { readdir, readFile } from 'node:fs/promises';

/** Size of a memory page in bytes. On the few machines with larger pages, memory is underestimated. */
const PAGE_BYTES = 4096;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly memoryBytes: number;
}

export interface Usage {
  readonly processes: number;
  readonly memoryBytes: number;
}

/**
 * Adds up the descendants of a process. In a process namespace this finds every member: an orphan becomes a child of the first
 * process of the namespace, which is itself a descendant.
 */
export async function measureDescendants(pid: number): Promise<Usage> {
  const members = listDescendants(pid, await listProcesses());
  return { processes: members.length, memoryBytes: members.reduce((sum, one) => sum + one.memoryBytes, 0) };
}

/** Returns the descendants of a process. */
export async function findDescendants(pid: number): Promise<readonly number[]> {
  return listDescendants(pid, await listProcesses()).map((one) => one.pid);
}

/** Returns the child of a process: for a process that makes a process namespace, the first process of the namespace. */
export async function findChildren(pid: number): Promise<readonly number[]> {
  return (await listProcesses()).filter(({ parent }) => parent === pid).map((one) => one.pid);
}

/** Whether one of the processes still runs. Zombies do not. */
export async function isAnyRunning(pids: readonly number[]): Promise<boolean> {
  const found = await Promise.all(pids.map((pid) => readProcess(`${pid}`)));
  return found.some((one) => one !== undefined);
}

function listDescendants(root: number, all: readonly Process[]): readonly Process[] {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const found: Process[] = [];
  for (let next = children.get(root) ?? []; next.length > 0; next = next.flatMap(({ pid }) => children.get(pid) ?? []))
    found.push(...next);
  return found;
}

async function listProcesses(): Promise<readonly Process[]> {
  const names = await readdir('/proc');
  const found = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(readProcess));
  return found.filter((one) => one !== undefined);
}

async function readProcess(pid: string): Promise<Process | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The program name is in parentheses and may itself contain parentheses and spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return { pid: Number(pid), parent: Number(fields[1]), memoryBytes: Number(fields[21] ?? 0) * PAGE_BYTES };
  } catch {
    return undefined;
  }
}
