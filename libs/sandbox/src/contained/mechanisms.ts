import { randomUUID } from 'node:crypto';
import { launchWithBubblewrap, type BubblewrapTools } from './bubblewrap.js';
import { launchInContainer, type ContainerTools } from './container.js';
import {
  CORE_BYTES,
  SANDBOX_PATHS,
  type CommandFolders,
  type CommandPaths,
  type ContainedCommand,
  type Launch,
  type Mechanism,
} from './sandbox-settings.js';
import { isProgram } from '../process/find-program.js';
import { canLaunchAsUser, type UserTools } from './other-user.js';
import { buildSeccompFilter } from './seccomp.js';
import { launchWithUnshare, type UnshareTools } from './unshare.js';
import type { Toolchain } from './toolchain.js';
import { join } from 'node:path';

/** Places of the programs of the system. Fixed, so that the environment of the service has no influence. */
const PROGRAM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

/** A way to contain commands, with the programs that it needs on this machine. */
export interface ContainmentMethod {
  readonly name: Mechanism;
  /** Processes of the mechanism that count among those of the command. */
  readonly ownProcesses: number;
  /** Whether a filter of system calls is installed. */
  readonly hasFilter: boolean;
  /** Whether commands run in namespaces that this process made, and their processes can be found as its descendants. */
  readonly isNamespaced: boolean;
  getPaths(folders: CommandFolders): CommandPaths;
  /** Builds the command line. `folder` is private to the launch, and empty. */
  launch(command: ContainedCommand, folder: string): Launch & { readonly container?: string };
}

/** A way that cannot be used on this machine. */
export interface MissingMethod {
  readonly missing: string;
}

const getSandboxPaths = (): CommandPaths => SANDBOX_PATHS;

export async function findBubblewrap(toolchain: Toolchain): Promise<ContainmentMethod | MissingMethod> {
  const found = await findTools(['bwrap', 'prlimit']);
  if ('missing' in found) return found;
  const { bwrap, prlimit } = found.tools;
  const tools = { bwrap, prlimit } as BubblewrapTools;
  const filter = buildSeccompFilter();
  return {
    name: 'bubblewrap',
    // The first process.
    ownProcesses: 1,
    hasFilter: filter !== undefined,
    isNamespaced: true,
    getPaths: getSandboxPaths,
    launch: (command) => launchWithBubblewrap(command, tools, toolchain, filter),
  };
}

export async function findUnshare(toolchain: Toolchain): Promise<ContainmentMethod | MissingMethod> {
  const names = ['unshare', 'mount', 'umount', 'pivot_root', 'setpriv', 'prlimit'];
  const found = await findTools(names, ['perl', 'ip', 'hostname']);
  if ('missing' in found) return found;
  const { unshare, mount, umount, pivot_root: pivotRoot, setpriv, prlimit, perl, ip, hostname } = found.tools;
  const tools = { unshare, mount, umount, pivotRoot, setpriv, prlimit, perl, ip, hostname } as UnshareTools;
  const filter = perl === undefined ? undefined : buildSeccompFilter();
  return {
    name: 'unshare',
    ownProcesses: 1,
    hasFilter: filter !== undefined,
    isNamespaced: true,
    getPaths: getSandboxPaths,
    launch: (command, folder) => launchWithUnshare(command, tools, toolchain, filter, folder),
  };
}

export async function findContainers(
  name: string,
  image: string | undefined,
): Promise<ContainmentMethod | MissingMethod> {
  if (image === undefined) return { missing: 'an image (PHASELINE_SANDBOX_IMAGE)' };
  const found = name.startsWith('/') ? { tools: { [name]: name } } : await findTools([name]);
  if ('missing' in found) return found;
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const tools: ContainerTools = { program: found.tools[name]!, image, user };
  return {
    name: 'container',
    ownProcesses: 2,
    hasFilter: true,
    isNamespaced: false,
    getPaths: getSandboxPaths,
    launch: (command, folder) => {
      const container = `phaseline-${randomUUID()}`;
      return { ...launchInContainer(command, tools, container, folder), container };
    },
  };
}

/** Runs commands as the service itself would. */
export async function findNone(): Promise<ContainmentMethod | MissingMethod> {
  const found = await findTools([], ['prlimit']);
  const prlimit = 'missing' in found ? undefined : found.tools['prlimit'];
  return {
    name: 'none',
    ownProcesses: 1,
    hasFilter: false,
    isNamespaced: false,
    getPaths: ({ folder, tmp }) => ({ workspace: folder, tmp, home: join(tmp, '.home') }),
    launch: ({ file, args, env, cwd, folders, limits }) => {
      const set = [`--core=${CORE_BYTES}`, `--fsize=${limits.maxFileBytes}`];
      return {
        ...(prlimit === undefined ? { file, args } : { file: prlimit, args: [...set, file, ...args] }),
        env,
        cwd: join(folders.folder, cwd),
      };
    },
  };
}

/** Finds what `launchAsUser` needs; undefined where it cannot be used. */
export async function findUserTools(): Promise<UserTools | undefined> {
  const found = await findTools(['unshare', 'setpriv', 'perl']);
  return 'missing' in found || !canLaunchAsUser() ? undefined : (found.tools as unknown as UserTools);
}

type FoundTools = Readonly<Record<string, string>>;

/** Finds programs of the system. Returns those that exist, or the required ones that are missing. */
async function findTools(
  required: readonly string[],
  optional: readonly string[] = [],
): Promise<{ readonly tools: FoundTools } | MissingMethod> {
  const tools: Record<string, string> = {};
  for (const name of [...required, ...optional])
    for (const folder of PROGRAM_FOLDERS)
      if (!(name in tools) && (await isProgram(join(folder, name)))) tools[name] = join(folder, name);
  const missing = required.filter((name) => !(name in tools));
  return missing.length > 0 ? { missing: `the program ${missing.join(', ')}` } : { tools };
}
