import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than a process may be silent (7 s), so that others take over its work before it continues. */
const STOPPED_MS = 9_000;
/** Delay after which a shell continues the process in any case. */
const FALLBACK_S = 60;

/**
 * Continues a stopped process after the others have had time to declare it dead. A detached shell does so later as well: if this
 * process is killed, the stopped one would otherwise stay stopped forever.
 */
export async function continueProcess(pid: number): Promise<void> {
  spawn('/bin/sh', ['-c', `sleep ${FALLBACK_S}; kill -CONT ${pid}`], { detached: true, stdio: 'ignore' }).unref();
  await sleep(STOPPED_MS);
  sendSignal(pid, 'SIGCONT');
}

/** Sends a signal. A process that no longer exists is ignored. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
