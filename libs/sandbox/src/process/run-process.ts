import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '@phaseline/basics/processes';
import type { SecretMask } from '@phaseline/basics/secrets';
import { ToolError } from '@phaseline/contracts';
import { isProgram } from './find-program.js';
import { BoundedOutput } from './bounded-output.js';
import { ProcessTree } from './process-tree.js';

const MARKER_VARIABLE = 'PHASELINE_COMMAND';
/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 1_000;
const WATCH_INTERVAL_MS = 150;
/** Maximum wait for output that is still in the pipes after all processes ended. */
const DRAIN_MS = 1_000;

export interface ProcessRequest {
  /** Absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Folder that only this call uses. A process that works in it belongs to the call, even after it left the session. */
  readonly ownFolder?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
  readonly maxMemoryBytes: number;
  readonly maxProcesses: number;
  /** Maximum size in bytes of a file that the program writes. */
  readonly maxFileBytes: number;
  readonly maxOutputBytes: number;
  /** Masks the output before it is cut. */
  readonly mask?: SecretMask | undefined;
}

export interface ProcessResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The limit that ended the program, if one did. */
  readonly stoppedBy?: 'timeout' | 'memory' | 'processes';
  readonly stdout: BoundedOutput;
  readonly stderr: BoundedOutput;
  readonly durationMs: number;
  /** Message about a limit that cannot be enforced on this machine. */
  readonly missingLimit?: string;
}

/**
 * Runs a program until it ends or reaches a limit. When this returns or throws, the program has ended, with every descendant that
 * can be recognised (see ProcessTree). Throws the reason of `signal` when it is aborted, and ToolError `not_started`.
 */
export async function runProcess(request: ProcessRequest, signal: AbortSignal): Promise<ProcessResult> {
  signal.throwIfAborted();
  const limits = await applyLimits(request);
  const marker = randomUUID();
  const startedAt = performance.now();
  const child = startProgram(limits.file, limits.args, {
    cwd: request.cwd,
    env: { ...request.env, [MARKER_VARIABLE]: marker },
    // The last pipe is never written to: it closes when this process ends, even when it is killed.
    stdio: [request.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'pipe'],
    // Its own session, so that all descendants can be killed together.
    detached: true,
  });
  const stdout = new BoundedOutput(request.maxOutputBytes, request.mask);
  const stderr = new BoundedOutput(request.maxOutputBytes, request.mask);
  child.stdout!.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr!.on('data', (chunk: Buffer) => stderr.push(chunk));
  // It is not an error when a program does not read its input.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(request.stdin);
  child.stdio[3]?.on('error', () => undefined);
  const [pid] = await Promise.race([
    once(child, 'spawn').then(() => [child.pid!]),
    once(child, 'error').then(([cause]: unknown[]) => {
      throw new ToolError('not_started', `The program could not be started: ${(cause as Error).message}`, { cause });
    }),
  ]);
  const family = new ProcessTree(pid!, `${MARKER_VARIABLE}=${marker}`, request.ownFolder);
  const finished = new AbortController();
  try {
    const stopped = await Promise.race([
      waitForExit(child).then(() => undefined),
      sleep(request.timeoutMs, 'timeout' as const, { signal: finished.signal }),
      watch(family, request, finished.signal),
      waitForAbort(signal, finished.signal),
    ]);
    if (stopped !== undefined) {
      family.terminate();
      await Promise.race([waitForExit(child), sleep(GRACE_MS, undefined, { signal: finished.signal })]);
    }
    // Also after a normal end: a background process would work on files that are about to be removed.
    await family.kill();
    signal.throwIfAborted();
    await Promise.race([waitForClose(child), sleep(DRAIN_MS, undefined, { signal: finished.signal })]);
    return {
      exitCode: child.exitCode,
      signal: child.signalCode,
      ...(stopped === undefined || stopped === 'aborted' ? {} : { stoppedBy: stopped }),
      stdout,
      stderr,
      durationMs: performance.now() - startedAt,
      ...(limits.missing === undefined ? {} : { missingLimit: limits.missing }),
    };
  } finally {
    finished.abort();
    child.stdout!.destroy();
    child.stderr!.destroy();
    child.stdio[3]?.destroy();
  }
}

async function waitForExit(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function waitForClose(child: ChildProcess): Promise<void> {
  if (!child.stdout!.closed || !child.stderr!.closed) await once(child, 'close');
}

/** Resolves when the processes together exceed a limit. Never resolves on a system without `/proc`. */
async function watch(
  family: ProcessTree,
  { maxMemoryBytes, maxProcesses }: ProcessRequest,
  finished: AbortSignal,
): Promise<'memory' | 'processes'> {
  for (;;) {
    await sleep(WATCH_INTERVAL_MS, undefined, { signal: finished, ref: false });
    const usage = await family.usage();
    // One of the processes is the watcher.
    if (usage && usage.processes > maxProcesses + 1) return 'processes';
    if (usage && usage.memoryBytes > maxMemoryBytes) return 'memory';
  }
}

function waitForAbort(signal: AbortSignal, finished: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('aborted');
    signal.addEventListener('abort', () => resolve('aborted'), { once: true, signal: finished });
  });
}

interface Limits {
  readonly file: string;
  readonly args: string[];
  readonly missing?: string;
}

/** Allowance for memory that runtimes only reserve. They reserve hundreds of megabytes and would not even start without it. */
const RESERVED_MEMORY_BYTES = 1024 * 1024 * 1024;
const PRLIMIT_PATHS = ['/usr/bin/prlimit', '/bin/prlimit'];

/**
 * Returns the command line that sets kernel limits and then runs the program. The kernel's memory limit is a coarse one, for
 * programs that grow faster than the watch interval. It limits data and not address space, because runtimes reserve far more
 * addresses than they use.
 */
async function applyLimits({ file, args, maxMemoryBytes, maxFileBytes }: ProcessRequest): Promise<Limits> {
  const data = maxMemoryBytes + RESERVED_MEMORY_BYTES;
  for (const prlimit of PRLIMIT_PATHS) {
    if (!(await isProgram(prlimit))) continue;
    const set = [`--data=${data}`, '--core=0', `--fsize=${maxFileBytes}`];
    return withWatcher('', prlimit, [...set, file, ...args]);
  }
  if (process.platform !== 'linux') {
    const missing = 'This machine cannot limit memory; only time and output are limited.';
    return { ...withWatcher('', file, args), missing };
  }
  const blocks = { memory: Math.ceil(data / 1024), file: Math.ceil(maxFileBytes / 512) };
  return withWatcher(`ulimit -c 0; ulimit -d ${blocks.memory}; ulimit -f ${blocks.file}; `, file, args);
}

/**
 * Shell code that starts a watcher beside the program. When this process is killed, the watcher's pipe closes and it kills the
 * whole process group. It keeps neither the input nor the output of the program open.
 */
const WATCHER = '( (read -r _ <&3; kill -KILL 0) </dev/null >/dev/null 2>&1 & ); ';

function withWatcher(set: string, file: string, args: readonly string[]): Limits {
  return { file: '/bin/sh', args: ['-c', `${WATCHER}${set}exec "$0" "$@" 3<&-`, file, ...args] };
}
