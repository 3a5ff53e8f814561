import { readFileSync, readlinkSync, statSync } from 'node:fs';
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
import { buildEtcFiles, findGuardedProc, isWithin, listParents, type Toolchain } from './toolchain.js';

/** Programs of this machine that the mechanism needs. Those that may be absent are not on every system. */
export interface UnshareTools {
  readonly unshare: string;
  readonly mount: string;
  readonly umount: string;
  readonly pivotRoot: string;
  readonly setpriv: string;
  readonly prlimit: string;
  /** Starts the loopback interface and installs the filter of system calls. */
  readonly perl?: string | undefined;
  /** Starts the loopback interface where there is no Perl. */
  readonly ip?: string | undefined;
  readonly hostname?: string | undefined;
}

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const DEVICE_LINKS = { fd: '', stdin: '/0', stdout: '/1', stderr: '/2' };

/** Perl code that starts the loopback interface: SIOCSIFFLAGS with IFF_UP and IFF_RUNNING. */
const START_LOOPBACK =
  'socket(my $s, 2, 2, 0) or exit 1; my $r = pack("a16 s x22", "lo", 0x41); ioctl($s, 0x8914, $r) or exit 1;';
/** Perl code that installs the filter in its first argument, hexadecimal, with PR_SET_SECCOMP, and then runs the other arguments. */
const INSTALL_FILTER =
  'my $f = pack("H*", shift); my $p = pack("S x6 P", length($f) / 8, $f); syscall(CALL, 22, 2, $p) == 0 or die "no filter: $!\\n"; exec {$ARGV[0]} @ARGV or die "$ARGV[0]: $!\\n";';
const PRCTL_NUMBERS: Readonly<Record<string, number>> = { x64: 157, arm64: 167 };

/** Last line of the standard error when the set-up failed, with the exit code 125. */
const SET_UP_FAILED = 'sandbox: the set-up failed';
/** File with the environment of the command. It is read last, by the user of the command, because variables change programs. */
const ENVIRONMENT_FILE = '/run/environment';
const RUN_WITH_ENVIRONMENT = `. ${ENVIRONMENT_FILE}; exec "$0" "$@"`;

/**
 * Builds the command line that contains a command with the programs of util-linux: `unshare` makes the namespaces, a shell script
 * mounts what the command may see, and a second `unshare` leaves the user that could mount. `folder` is the private folder of the
 * launch.
 */
export function launchWithUnshare(
  command: ContainedCommand,
  tools: UnshareTools,
  toolchain: Toolchain,
  filter: Uint8Array | undefined,
  folder: string,
): Launch {
  const install = PRCTL_NUMBERS[process.arch];
  const filtered =
    filter && tools.perl && install
      ? [tools.perl, '-e', INSTALL_FILTER.replace('CALL', `${install}`), Buffer.from(filter).toString('hex')]
      : [];
  return {
    file: tools.unshare,
    args: [
      ...['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child=KILL'],
      ...['--net', '--ipc', '--uts', '--cgroup', '/bin/sh', join(folder, 'setup')],
      ...[tools.unshare, '--user', `--map-user=${SANDBOX_UID}`, `--map-group=${SANDBOX_UID}`],
      // Capabilities are kept until here, because they are needed to drop the bounding set.
      ...[
        '--keep-caps',
        tools.setpriv,
        '--no-new-privs',
        '--bounding-set=-all',
        '--inh-caps=-all',
        '--ambient-caps=-all',
      ],
      ...filtered,
      ...['/bin/sh', '-c', RUN_WITH_ENVIRONMENT, tools.prlimit, ...buildRlimits(command.limits)],
      ...[command.file, ...command.args],
    ],
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
    cwd: '/',
    files: { setup: buildScript(command, tools, toolchain, folder), mounts: buildTable(command, toolchain, folder) },
  };
}

/** Returns the script that the first process of the sandbox runs. It ends with the command, whose arguments it is given. */
function buildScript(command: ContainedCommand, tools: UnshareTools, toolchain: Toolchain, folder: string): string {
  const { workspace, tmp, home } = SANDBOX_PATHS;
  const proxy = command.proxyFolder === undefined ? [] : [PROXY_FOLDER];
  const files = [...toolchain.files.filter((path) => !isFolder(path)), ...DEVICES.map((name) => `/dev/${name}`)];
  const folders = [
    ...[
      ...toolchain.folders,
      ...toolchain.files.filter(isFolder),
      workspace,
      tmp,
      home,
      '/proc',
      '/dev/shm',
      '/etc',
      '/run',
    ],
    ...[...proxy, ...command.mounts.map(({ at }) => at), ...files.flatMap(listParents)],
  ];
  const links = [
    ...toolchain.links,
    ...Object.entries(DEVICE_LINKS).map(([name, to]) => ({ path: `/dev/${name}`, target: `/proc/self/fd${to}` })),
  ];
  const texts = {
    ...Object.fromEntries(Object.entries(buildEtcFiles(SANDBOX_UID)).map(([name, text]) => [`/etc/${name}`, text])),
    [ENVIRONMENT_FILE]: buildEnvironment(command.env),
  };
  const isOnSystem = (path: string): boolean => isWithin(path, toolchain.folders);
  const inRoot = (path: string): string => quote(path.slice(1));
  const makeLinks = links.map(({ path, target }) => `ln -s ${quote(target)} ${inRoot(path)}`);
  const loopback = tools.perl
    ? [`${tools.perl} -e ${quote(START_LOOPBACK)}`]
    : tools.ip
      ? [`${tools.ip} link set lo up`]
      : [];
  return [
    'set -eu',
    // Tells a failure of the set-up from one of the command.
    `trap 'echo "${SET_UP_FAILED}" >&2; exit 125' EXIT`,
    // Checked before anything is changed, so that a mistake here cannot change a setting of the machine.
    ...['user', 'mnt', 'uts'].map(
      (kind) =>
        `[ "$(readlink /proc/self/ns/${kind})" != ${quote(readlinkSync(`/proc/self/ns/${kind}`))} ] || exit 125`,
    ),
    `root=${quote(join(folder, 'root'))}`,
    `mkdir "$root"`,
    `${tools.mount} -t tmpfs -o mode=755,size=16m,nosuid,nodev sandbox "$root"`,
    'cd "$root"',
    `mkdir -p ${[...new Set(folders)].map(inRoot).join(' ')} .machine`,
    `touch ${files
      .filter((path) => !isOnSystem(path))
      .map(inRoot)
      .join(' ')}`,
    ...makeLinks,
    ...Object.entries(texts).map(([path, text]) => `printf %s ${quote(text)} > ${inRoot(path)}`),
    `${tools.mount} --all --fstab ${quote(join(folder, 'mounts'))}`,
    ...loopback,
    ...(tools.hostname ? [`${tools.hostname} sandbox`] : []),
    // The user namespace of the command is the last one that can be made.
    'echo 1 > /proc/sys/user/max_user_namespaces',
    `${tools.pivotRoot} . .machine`,
    'cd /',
    `${tools.umount} --lazy /.machine`,
    'rmdir /.machine',
    `${tools.mount} -o remount,bind,ro,nosuid,nodev /`,
    `cd ${quote(join(workspace, command.cwd))}`,
    'trap - EXIT',
    'set +e',
    '"$@"; exit $?',
    '',
  ].join('\n');
}

function buildTable({ folders, mounts, proxyFolder }: ContainedCommand, toolchain: Toolchain, folder: string): string {
  const { workspace, tmp, home } = SANDBOX_PATHS;
  const inRoot = (path: string): string => escapeField(join(folder, 'root', path));
  const bind = (from: string, to: string, options: string): string =>
    `${escapeField(from)} ${inRoot(to)} none bind,${options} 0 0`;
  const readOnly = (path: string, to = path): string => bind(path, to, `ro,nosuid,nodev${findNoexec(path)}`);
  const writable = (path: string, to: string): string => bind(path, to, `nosuid,nodev${findNoexec(path)}`);
  const inMemory = (path: string): string =>
    `sandbox ${inRoot(path)} tmpfs mode=1777,size=${MEMORY_DISK_BYTES},nosuid,nodev 0 0`;
  return [
    ...toolchain.folders.map((path) => readOnly(path)),
    ...toolchain.files.map((path) => readOnly(path)),
    ...DEVICES.map((name) => bind(`/dev/${name}`, `/dev/${name}`, 'nosuid,noexec')),
    inMemory('/dev/shm'),
    inMemory(home),
    `proc ${inRoot('/proc')} proc nosuid,nodev,noexec 0 0`,
    ...findGuardedProc().map((path) => `${inRoot(path)} ${inRoot(path)} none bind,ro,nosuid,nodev,noexec 0 0`),
    writable(folders.folder, workspace),
    writable(folders.tmp, tmp),
    ...mounts.map(({ from, at }) => readOnly(from, at)),
    ...(proxyFolder === undefined ? [] : [readOnly(proxyFolder, PROXY_FOLDER)]),
    '',
  ].join('\n');
}

function buildEnvironment(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `export ${name}=${quote(value)}\n`)
    .join('');
}

/** Returns `,noexec` if the file system of a path is mounted so: a mount for another user must keep this option. */
function findNoexec(path: string): string {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').trimEnd().split('\n');
  const found = mounts
    .map((line) => line.split(' '))
    .filter(([, , , , point = '']) => isWithin(path, [unescapeField(point)]))
    .sort(([, , , , a = ''], [, , , , b = '']) => a.length - b.length)
    .at(-1);
  return found?.[5]?.split(',').includes('noexec') ? ',noexec' : '';
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Escapes a path for a table of mounts. */
function escapeField(path: string): string {
  return path.replace(/[\s\\#]/g, (found) => `\\${found.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function unescapeField(field: string): string {
  return field.replace(/\\(\d{3})/g, (_whole, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
