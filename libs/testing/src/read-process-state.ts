import { readFile } from 'node:fs/promises';

/** Returns the state of a process as Linux shows it: `T` if it is stopped. Throws if the process does not exist. */
export async function readProcessState(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).slice(0, 1);
}
