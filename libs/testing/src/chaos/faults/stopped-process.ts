import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than a process may be silent (7 s), so that others take its work over before it is sent on. */
export const STOPPED_MS = 9_000;
/** When nobody else has sent it on. */
const AT_THE_LATEST_S = 60;

/**
 * Sends a process on that was stopped, after the others had time to take it for dead. A shell does so later in any case: a
 * stopped process whose parents are gone would stand still for ever.
 */
export async function sendOn(pid: number, afterMs = STOPPED_MS): Promise<void> {
  spawn('/bin/sh', ['-c', `sleep ${AT_THE_LATEST_S}; kill -CONT ${pid}`], { detached: true, stdio: 'ignore' }).unref();
  await sleep(afterMs);
  signal(pid, 'SIGCONT');
}

/** Sends a signal; a process that is gone needs none. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
