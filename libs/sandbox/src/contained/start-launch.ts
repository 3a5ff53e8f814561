import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { constants } from 'node:os';
import { startProgram } from '@phaseline/basics/processes';
import { ToolError } from '@phaseline/contracts';
import { isProgram } from '../process/find-program.js';
import type { Cgroup } from './cgroup.js';
import type { Usage } from './descendants.js';
import { DiskWatch } from './disk-watch.js';
import type { CommandFolders, CommandLimits, Launch } from './sandbox-settings.js';

const WATCH_INTERVAL_MS = 100;
/** Maximum wait for output that is still in the pipes after all processes ended. */
const DRAIN_MS = 1_000;
/** Maximum wait for the end of processes that were killed. */
const KILL_MS = 5_000;
/** Maximum bytes of output together. More of it only costs processor time, because most is left out. */
const MAX_TOTAL_OUTPUT_BYTES = 1024 * 1024 * 1024;

/** A limit that ended a command, with its value. */
interface Stop {
  readonly limit: 'time' | 'memory' | 'processes' | 'disk' | 'output';
  readonly value: number;
  readonly unit: 'ms' | 'bytes' | 'processes';
}

export interface ContainedEnd {
  /** Null when the command was stopped or ended by a signal. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stoppedBy?: Stop;
  readonly durationMs: number;
}

/** A running command. */
export interface ContainedProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the command and all processes that it started have ended. */
  readonly ended: Promise<ContainedEnd>;
  /** Ends the command and all its processes. */
  stop(): Promise<void>;
}

/** The processes of a command, as its mechanism finds them. */
export interface ProcessGroup {
  usage(): Promise<Usage | undefined>;
  /** Lists their process ids; none where they cannot be found from here. */
  listProcesses(): Promise<readonly number[]>;
  /** Kills all of them. */
  kill(): Promise<void>;
}

export interface Supervision {
  readonly limits: CommandLimits;
  readonly folders: CommandFolders;
  /** Processes of the mechanism itself, which do not count. */
  readonly ownProcesses: number;
  readonly cgroup?: Cgroup | undefined;
  /** Other user that starts the command. */
  readonly user?: number | undefined;
  /** Whether a high exit code means that a signal ended the program, as a shell reports it. */
  readonly hasShellStatus: boolean;
  createGroup(pid: number, isRunning: () => boolean): ProcessGroup;
  /** Called once, after the end. */
  cleanUp(): Promise<void>;
}

/**
 * Shell code that starts a watcher beside the command. When this process is killed, the watcher's pipe closes and it kills the
 * first process of the sandbox, which is in a session of its own, and the whole process group. The parent is stopped before its children
 * are listed: a child that it starts later, and that does not yet end with its parent, would remain. The watcher keeps no other file of the
 * command open.
 */
const WATCHER =
  '( (exec 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-; read -r _ <&3; kill -STOP $$; ' +
  'while read -r s </proc/$$/stat; do case $s in *") "[TtZX]" "*) break;; esac; done; ' +
  'for c in $(cat /proc/$$/task/$$/children); do kill -KILL $c; done; kill -KILL 0) </dev/null >/dev/null 2>&1 & ); ';
/**
 * Shell code that closes files which this process inherited and would pass on. A shell other than bash can close only those with one
 * digit; the first of them may be inputs of the mechanism.
 */
const CLOSE_INHERITED = 'for f in /proc/self/fd/*; do f=${f##*/}; case $f in ??*) eval "exec $f<&-";; esac; done; ';
const BASH = '/bin/bash';

/** Starts a command line and watches its limits until it ends. Throws ToolError `not_started`. */
export async function startLaunch(launch: Launch, supervision: Supervision): Promise<ContainedProcess> {
  const { limits, cgroup, user, folders } = supervision;
  const inputs = launch.inputs ?? [];
  const startedAt = performance.now();
  const hasBash = await isProgram(BASH);
  const child = startProgram(
    hasBash ? BASH : '/bin/sh',
    [
      // Bash reads the settings of its user when its input is a socket.
      ...(hasBash ? ['--norc', '--noprofile'] : []),
      '-c',
      `${hasBash ? CLOSE_INHERITED : ''}${WATCHER}${cgroup?.enter ?? ''}exec "$0" "$@" 3<&-`,
      launch.file,
      ...launch.args,
    ],
    {
      cwd: launch.cwd,
      env: launch.env,
      // The fourth pipe is never written to: it closes when this process ends, even when it is killed.
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', ...inputs.map(() => 'pipe' as const)],
      // Its own session: all processes of the mechanism can be killed together, and there is no terminal.
      detached: true,
      ...(user === undefined ? {} : { uid: user, gid: user }),
    },
  );
  for (const stream of child.stdio) stream?.on('error', () => undefined);
  const watcher = (child.stdio[3] as Readable).resume();
  for (const [index, bytes] of inputs.entries()) (child.stdio[index + 4] as Writable).end(bytes);
  await Promise.race([
    once(child, 'spawn'),
    once(child, 'error').then(async ([cause]: unknown[]) => {
      await supervision.cleanUp();
      throw new ToolError('not_started', `The program could not be started: ${(cause as Error).message}`, { cause });
    }),
  ]);
  const pid = child.pid!;
  const group = supervision.createGroup(pid, () => child.exitCode === null && child.signalCode === null);
  const finished = new AbortController();
  const stopped = Promise.withResolvers<Stop | 'stopped'>();
  stopped.promise.catch(() => undefined);
  let outputBytes = 0;
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => {
      outputBytes += chunk.byteLength;
      if (outputBytes > MAX_TOTAL_OUTPUT_BYTES)
        stopped.resolve({ limit: 'output', value: MAX_TOTAL_OUTPUT_BYTES, unit: 'bytes' });
    });
  const watch = async (): Promise<void> => {
    const disk = new DiskWatch([folders.folder, folders.tmp], limits.maxDiskBytes, () => group.listProcesses());
    for (;;) {
      const found = await findExceeded(group, supervision, disk);
      if (found) stopped.resolve(found);
      await sleep(WATCH_INTERVAL_MS, undefined, { signal: finished.signal, ref: false });
    }
  };
  const end = async (): Promise<ContainedEnd> => {
    try {
      const { timeoutMs } = limits;
      const timeout =
        timeoutMs === undefined
          ? []
          : [sleep(timeoutMs, { limit: 'time', value: timeoutMs, unit: 'ms' } as Stop, { signal: finished.signal })];
      let stop = await Promise.race([waitForExit(child).then(() => undefined), stopped.promise, ...timeout]);
      // Also after a normal end: without a process namespace, processes in the background remain.
      await group.kill();
      await Promise.race([waitForExit(child), sleep(KILL_MS, undefined, { signal: finished.signal })]);
      killGroup(pid);
      await Promise.race([waitForClose(child, watcher), sleep(DRAIN_MS, undefined, { signal: finished.signal })]);
      // The kernel may have enforced a limit after the last look at it.
      const exceeded = stop ? undefined : await cgroup?.findExceeded();
      if (exceeded) stop = describeStop(exceeded, limits);
      return {
        ...readStatus(child, supervision.hasShellStatus && stop === undefined),
        ...(stop === undefined || stop === 'stopped' ? {} : { exitCode: null, stoppedBy: stop }),
        durationMs: performance.now() - startedAt,
      };
    } finally {
      finished.abort();
      for (const stream of child.stdio) stream?.destroy();
      await supervision.cleanUp();
    }
  };
  watch().catch(() => undefined);
  const ended = end();
  ended.catch(() => undefined);
  return {
    pid,
    stdin: child.stdin!,
    stdout: child.stdout!,
    stderr: child.stderr!,
    ended,
    stop: async () => {
      stopped.resolve('stopped');
      await ended;
    },
  };
}

async function findExceeded(
  group: ProcessGroup,
  { limits, cgroup, ownProcesses }: Supervision,
  disk: DiskWatch,
): Promise<Stop | undefined> {
  const exceeded = await cgroup?.findExceeded();
  if (exceeded) return describeStop(exceeded, limits);
  // The kernel counts the memory of a control group itself.
  const usage = cgroup ? { processes: await cgroup.countProcesses(), memoryBytes: 0 } : await group.usage();
  if (usage && usage.processes > limits.maxProcesses + ownProcesses) return describeStop('processes', limits);
  if (usage && usage.memoryBytes > limits.maxMemoryBytes) return describeStop('memory', limits);
  if (await disk.isExceeded().catch(() => false)) return { limit: 'disk', value: limits.maxDiskBytes, unit: 'bytes' };
  return undefined;
}

function describeStop(limit: 'memory' | 'processes', limits: CommandLimits): Stop {
  return limit === 'memory'
    ? { limit, value: limits.maxMemoryBytes, unit: 'bytes' }
    : { limit, value: limits.maxProcesses, unit: 'processes' };
}

function readStatus(
  { exitCode, signalCode }: ChildProcess,
  hasShellStatus: boolean,
): Pick<ContainedEnd, 'exitCode' | 'signal'> {
  if (!hasShellStatus || exitCode === null || exitCode <= 128) return { exitCode, signal: signalCode };
  const [name] = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128) ?? [];
  return name === undefined ? { exitCode, signal: null } : { exitCode: null, signal: name as NodeJS.Signals };
}

export function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

async function waitForExit(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Waits until all output was read and the watcher has ended, which holds the other end of its pipe. */
async function waitForClose(child: ChildProcess, watcher: Readable): Promise<void> {
  if (!watcher.closed) await once(watcher, 'close');
  if (!child.stdout!.closed || !child.stderr!.closed) await once(child, 'close');
}
