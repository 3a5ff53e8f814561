import { join } from 'node:path';
import {
  buildRlimits,
  MEMORY_DISK_BYTES,
  PROXY_FOLDER,
  SANDBOX_PATHS,
  SANDBOX_UID,
  type ContainedCommand,
  type Launch,
} from './sandbox-settings.js';
import { buildEtcFiles, findGuardedProc, type Toolchain } from './toolchain.js';

/** Programs of this machine that the mechanism needs. */
export interface BubblewrapTools {
  readonly bwrap: string;
  readonly prlimit: string;
}

/**
 * The process with number 1: it waits for the command, and collects processes that lost their parent. When it ends, the kernel ends
 * all others before the process that waits for it continues.
 */
export const FIRST_PROCESS = '"$0" "$@"; exit $?';

/** The first free file descriptor: streams, and the pipe of the watcher come before. */
const FIRST_INPUT = 4;

/** Builds the command line that contains a command with bubblewrap. */
export function launchWithBubblewrap(
  command: ContainedCommand,
  tools: BubblewrapTools,
  toolchain: Toolchain,
  filter: Uint8Array | undefined,
): Launch {
  const { workspace, tmp, home } = SANDBOX_PATHS;
  const etc = Object.entries(buildEtcFiles(SANDBOX_UID));
  const dataInput = (index: number): string => `${FIRST_INPUT + 1 + index}`;
  const options = [
    ...['user', 'pid', 'net', 'ipc', 'uts'].map((name) => `--unshare-${name}`),
    '--unshare-cgroup-try',
    '--disable-userns',
    ...['--uid', `${SANDBOX_UID}`, '--gid', `${SANDBOX_UID}`, '--hostname', 'sandbox'],
    ...['--new-session', '--die-with-parent', '--as-pid-1', '--cap-drop', 'ALL'],
    ...toolchain.folders.flatMap((path) => ['--ro-bind', path, path]),
    ...toolchain.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...toolchain.files.flatMap((path) => ['--ro-bind', path, path]),
    ...etc.flatMap(([name], index) => ['--ro-bind-data', dataInput(index), join('/etc', name)]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...findGuardedProc().flatMap((path) => ['--ro-bind', path, path]),
    ...['--size', `${MEMORY_DISK_BYTES}`, '--tmpfs', '/dev/shm'],
    ...['--size', `${MEMORY_DISK_BYTES}`, '--tmpfs', home],
    ...['--bind', command.folders.folder, workspace, '--bind', command.folders.tmp, tmp],
    ...command.mounts.flatMap(({ from, at }) => ['--ro-bind', from, at]),
    ...(command.proxyFolder === undefined ? [] : ['--ro-bind', command.proxyFolder, PROXY_FOLDER]),
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', join(workspace, command.cwd), '--clearenv'],
    ...Object.entries(command.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(filter ? ['--seccomp', dataInput(etc.length)] : []),
  ];
  const { limits, file } = command;
  return {
    file: tools.bwrap,
    args: [
      ...['--args', `${FIRST_INPUT}`, '--', '/bin/sh', '-c', FIRST_PROCESS],
      ...[tools.prlimit, ...buildRlimits(limits), file, ...command.args],
    ],
    env: {},
    cwd: '/',
    // Options are not arguments of the process, because every user of the machine can read those.
    inputs: [Buffer.from(options.join('\0')), ...etc.map(([, text]) => Buffer.from(text)), ...(filter ? [filter] : [])],
  };
}
