import { readFile } from 'node:fs/promises';

/** Returns the resident memory of a process in MiB; undefined if it does not run or the system has no `/proc`. */
export async function readRssMiB(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  // A process that has exited but was not reaped has no VmRSS.
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) / 1_024;
}
