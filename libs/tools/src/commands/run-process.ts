import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '../tool-error.js';
import { isProgram } from './find-program.js';
import { KeptOutput } from './kept-output.js';
import { ProcessFamily } from './process-family.js';

const MARKER = 'PHASELINE_COMMAND';
/** Between the request to end and the end by force. */
const GRACE_MS = 1_000;
const WATCH_MS = 150;
/** Output that is still in the pipes when all processes are gone. */
const DRAIN_MS = 1_000;

export interface ProcessRequest {
  /** Absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Folder of this call alone: a process that works in it belongs to the call, wherever it went. */
  readonly ownFolder?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of one file that it writes. */
  readonly fileBytes: number;
  readonly outputBytes: number;
}

export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Which limit ended it, where one did. */
  readonly stopped?: 'timeout' | 'memory' | 'processes';
  readonly stdout: KeptOutput;
  readonly stderr: KeptOutput;
  readonly durationMs: number;
  /** A limit that cannot be kept on this machine. */
  readonly unlimited?: string;
}

/**
 * Runs a program to its end, or to one of its limits. When this returns or throws, the program is gone, with everything that it
 * started and that can still be told as its own (see ProcessFamily). Throws the reason of `signal` when that fires, and ToolError `not_started`.
 */
export async function runProcess(request: ProcessRequest, signal: AbortSignal): Promise<ProcessEnd> {
  signal.throwIfAborted();
  const limits = await limitsOf(request);
  const mark = randomUUID();
  const started = performance.now();
  const child = spawn(limits.file, limits.args, {
    cwd: request.cwd,
    env: { ...request.env, [MARKER]: mark },
    // The last one is never written to: it ends when this process does, however that is.
    stdio: [request.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'pipe'],
    // A session of its own, so that all that comes of it can be ended together.
    detached: true,
  });
  const stdout = new KeptOutput(request.outputBytes);
  const stderr = new KeptOutput(request.outputBytes);
  child.stdout!.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr!.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A program that does not read its input is no error.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(request.stdin);
  child.stdio[3]?.on('error', () => undefined);
  const [pid] = await Promise.race([
    once(child, 'spawn').then(() => [child.pid!]),
    once(child, 'error').then(([cause]: unknown[]) => {
      throw new ToolError('not_started', `The program could not be started: ${(cause as Error).message}`, { cause });
    }),
  ]);
  const family = new ProcessFamily(pid!, `${MARKER}=${mark}`, request.ownFolder);
  const over = new AbortController();
  try {
    const stopped = await Promise.race([
      ended(child).then(() => undefined),
      sleep(request.timeoutMs, 'timeout' as const, { signal: over.signal }),
      watch(family, request, over.signal),
      aborted(signal, over.signal),
    ]);
    if (stopped !== undefined) {
      family.terminate();
      await Promise.race([ended(child), sleep(GRACE_MS, undefined, { signal: over.signal })]);
    }
    // Also after a good end: what a program leaves running in the background would work on files that are gone.
    await family.kill();
    signal.throwIfAborted();
    await Promise.race([closed(child), sleep(DRAIN_MS, undefined, { signal: over.signal })]);
    return {
      exitCode: child.exitCode,
      signal: child.signalCode,
      ...(stopped === undefined || stopped === 'aborted' ? {} : { stopped }),
      stdout,
      stderr,
      durationMs: performance.now() - started,
      ...(limits.missing === undefined ? {} : { unlimited: limits.missing }),
    };
  } finally {
    over.abort();
    child.stdout!.destroy();
    child.stderr!.destroy();
    child.stdio[3]?.destroy();
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function closed(child: ChildProcess): Promise<void> {
  if (!child.stdout!.closed || !child.stderr!.closed) await once(child, 'close');
}

/** Resolves when all of them together have too much; never where the system does not tell. */
async function watch(
  family: ProcessFamily,
  { memoryBytes, processes }: ProcessRequest,
  over: AbortSignal,
): Promise<'memory' | 'processes'> {
  for (;;) {
    await sleep(WATCH_MS, undefined, { signal: over, ref: false });
    const usage = await family.usage();
    // One of them is the watcher.
    if (usage && usage.processes > processes + 1) return 'processes';
    if (usage && usage.memoryBytes > memoryBytes) return 'memory';
  }
}

function aborted(signal: AbortSignal, over: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('aborted');
    signal.addEventListener('abort', () => resolve('aborted'), { once: true, signal: over });
  });
}

interface Limits {
  readonly file: string;
  readonly args: string[];
  readonly missing?: string;
}

/** Runtimes count hundreds of megabytes as data that they only reserve; a bound without this room lets them not even start. */
const RESERVED_BYTES = 1024 * 1024 * 1024;
const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit'];

/**
 * The program behind whatever sets its limits. The kernel's bound on memory is a coarse one for what grows faster than the
 * watching looks; it is of data and not of addresses, of which runtimes reserve far more than they use.
 */
async function limitsOf({ file, args, memoryBytes, fileBytes }: ProcessRequest): Promise<Limits> {
  const data = memoryBytes + RESERVED_BYTES;
  for (const prlimit of PRLIMIT) {
    if (!(await isProgram(prlimit))) continue;
    const set = [`--data=${data}`, '--core=0', `--fsize=${fileBytes}`];
    return guarded('', prlimit, [...set, file, ...args]);
  }
  if (process.platform !== 'linux') {
    const missing = 'This machine keeps no limit on memory; only time and output are limited.';
    return { ...guarded('', file, args), missing };
  }
  const blocks = { memory: Math.ceil(data / 1024), file: Math.ceil(fileBytes / 512) };
  return guarded(`ulimit -c 0; ulimit -d ${blocks.memory}; ulimit -f ${blocks.file}; `, file, args);
}

/**
 * A watcher beside the program, and no child of it, ends the whole group when this process is killed: its pipe then ends. It
 * holds neither the output nor the input of the program.
 */
const WATCHER = '( (read -r _ <&3; kill -KILL 0) </dev/null >/dev/null 2>&1 & ); ';

function guarded(set: string, file: string, args: readonly string[]): Limits {
  return { file: '/bin/sh', args: ['-c', `${WATCHER}${set}exec "$0" "$@" 3<&-`, file, ...args] };
}
