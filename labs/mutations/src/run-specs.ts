import { spawn, type ChildProcess } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { judgeReport, type MutationOutcome } from './judge-report.js';

/** Limit for a run, since a mutated loop may never end; no listed spec needs this long. */
const TIMEOUT_MS = 300_000;
/** Time that a stopped test run gets to remove its servers and databases. */
const STOP_TIMEOUT_MS = 15_000;

export interface SpecRunOptions {
  /** Runs only the tests whose names match this pattern. */
  readonly test?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Aborts the run, and with it every process that it started. */
  readonly signal: AbortSignal;
}

/** Runs spec files with vitest in a folder, one worker, and judges the outcome. */
export async function runSpecs(
  root: string,
  specs: readonly string[],
  { test, env, signal }: SpecRunOptions,
): Promise<MutationOutcome> {
  const report = join(root, 'node_modules', 'mutation-report.json');
  await rm(report, { force: true });
  signal.throwIfAborted();
  const child = spawn(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--maxWorkers=1',
      '--reporter=json',
      `--outputFile=${report}`,
      ...(test === undefined ? [] : ['-t', test]),
      ...specs,
    ],
    // A separate process group, so that all of its processes can be stopped and Ctrl-C reaches it only through this process.
    // With CI set, vitest.config.ts configures another report, which would take precedence.
    { cwd: root, env: { ...env, CI: undefined }, stdio: 'ignore', detached: true },
  );
  const isTimedOut = await waitUntilEnded(child, signal);
  signal.throwIfAborted();
  if (isTimedOut) return { kind: 'invalid', reason: `the specs did not end within ${TIMEOUT_MS / 1_000} s` };
  return judgeReport(await readFile(report, 'utf8').catch(() => undefined), specs);
}

async function waitUntilEnded(child: ChildProcess, signal: AbortSignal): Promise<boolean> {
  let isTimedOut = false;
  let killTimer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    killGroup(child, 'SIGINT');
    killTimer ??= setTimeout(() => killGroup(child, 'SIGKILL'), STOP_TIMEOUT_MS);
  };
  const timer = setTimeout(() => {
    isTimedOut = true;
    stop();
  }, TIMEOUT_MS);
  signal.addEventListener('abort', stop);
  try {
    await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  } finally {
    clearTimeout(timer);
    clearTimeout(killTimer);
    signal.removeEventListener('abort', stop);
    // Removes processes left behind by a killed worker.
    killGroup(child, 'SIGKILL');
  }
  return isTimedOut;
}

function killGroup({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
