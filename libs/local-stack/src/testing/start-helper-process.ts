import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { getTypescriptArguments } from '@phaseline/testing';
import { isAlive } from '../process/process-identity.js';

/** Starts one of the helper processes in this folder. Resolves with the JSON value of its first line of output. */
export async function startHelperProcess<T>(
  name: string,
  args: string[],
  options: SpawnOptions = {},
): Promise<{ child: ChildProcess; report: T }> {
  const file = new URL(`./${name}.ts`, import.meta.url);
  const child = spawn(process.execPath, getTypescriptArguments(file, ...args), {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout! });
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string | undefined];
  if (line === undefined) throw new Error(`${name} exited without any output`);
  return { child, report: JSON.parse(line) as T };
}

/** Resolves when no process with this id exists. Only the timeout of the test limits the wait. */
export async function waitForExit(pid: number): Promise<void> {
  while (isAlive(pid)) await delay(20);
}

export async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
