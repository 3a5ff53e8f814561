import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedOutput } from '../process/bounded-output.js';
import { measureDescendants } from './descendants.js';
import { computeMaxTasks, type CommandLimits, type Mechanism } from './sandbox-settings.js';
import type { SandboxCommand } from './sandbox-command.js';
import type { ContainedProcess } from './start-launch.js';

const LIMITS: CommandLimits = {
  timeoutMs: 60_000,
  maxMemoryBytes: 256 * 1024 * 1024,
  maxProcesses: 8,
  maxFileBytes: 1024 * 1024,
  maxDiskBytes: 16 * 1024 * 1024,
};
const READY = 'contained';
/** Prints `contained` if the command has its own process namespace and can write to its folders and to nothing else. */
const CHECK = `touch "$PWD/a" && touch /tmp/a && ! touch /usr/a 2>/dev/null && ! touch /a 2>/dev/null && [ "$$" -lt 100 ] && echo ${READY}`;
/** A fork bomb. Every process makes two more; the shell outside it uses no process, because it ends if it cannot make one. */
const BOMB = '(b() { b & b & sleep 60; }; b); while :; do :; done';

type Start = (command: SandboxCommand, signal?: AbortSignal) => Promise<ContainedProcess>;

/** Tests a mechanism on this machine. Returns what is wrong with it, or undefined. */
export async function probeMethod(name: Mechanism, start: Start): Promise<string | undefined> {
  // The operator chose to have no sandbox.
  if (name === 'none') return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-probe-'));
  try {
    const folders = { folder: join(folder, 'workspace'), tmp: join(folder, 'tmp') };
    for (const one of Object.values(folders)) await mkdir(one);
    const shell = (script: string): SandboxCommand => ({
      file: '/bin/sh',
      args: ['-c', script],
      env: {},
      folders,
      limits: LIMITS,
    });
    const checked = await start(shell(CHECK));
    const output = new BoundedOutput(2_000);
    for (const stream of [checked.stdout, checked.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
    checked.stdin.end();
    await checked.ended;
    if (output.text().trim() !== READY) return `a test command failed: ${output.text().trim() || 'no output'}`;
    return await probeForkBomb(name, start, shell(BOMB));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function probeForkBomb(name: Mechanism, start: Start, command: SandboxCommand): Promise<string | undefined> {
  const bomb = await start(command);
  bomb.stdin.end();
  let isRunning = true;
  let most = 0;
  const ended = bomb.ended.finally(() => (isRunning = false));
  // Containers belong to another process, so theirs cannot be counted from here.
  while (isRunning && name !== 'container') {
    most = Math.max(most, (await measureDescendants(bomb.pid)).processes);
    await Promise.race([ended, sleep(20)]);
  }
  const { stoppedBy } = await ended;
  const allowed = computeMaxTasks(LIMITS);
  if (most > allowed) return `a fork bomb made ${most} processes; ${allowed} were allowed`;
  if (name !== 'container' && stoppedBy?.limit !== 'processes') return 'a fork bomb was not stopped';
  return undefined;
}
