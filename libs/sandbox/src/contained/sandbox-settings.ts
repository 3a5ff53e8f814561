/** How commands are contained: `auto` uses bubblewrap where it works, else unshare. */
type SandboxMode = 'auto' | 'bubblewrap' | 'unshare' | 'container' | 'none';
export type Mechanism = Exclude<SandboxMode, 'auto'>;

export interface SandboxSettings {
  readonly mode: SandboxMode;
  /** Folders that commands may read, in addition to those of the system and of the Node.js that runs this process. */
  readonly toolchain?: readonly string[];
  /** For `container`: the program that starts containers, and the image. */
  readonly containerProgram?: string;
  readonly containerImage?: string;
  /** Default: whatever works. For specs, which test each way on one machine. */
  readonly limitedBy?: 'cgroup' | 'rlimits';
  /** Whether a user that gets folders gets them through mounts with mapped ids, where that works. Default: true. For specs. */
  readonly mapsIds?: boolean;
}

/** Limits of one contained command. */
export interface CommandLimits {
  /** Absent for a process that runs until it is stopped, such as a server. */
  readonly timeoutMs?: number;
  readonly maxMemoryBytes: number;
  readonly maxProcesses: number;
  /** Maximum size in bytes of one file that the command writes. */
  readonly maxFileBytes: number;
  /** Maximum bytes of the workspace folder and the private `/tmp` together. */
  readonly maxDiskBytes: number;
}

/** Folders of this machine that a command sees. */
export interface CommandFolders {
  /** The working folder of the job, writable; commands see it as `/workspace`. */
  readonly folder: string;
  /** The private `/tmp` of the phase, writable. */
  readonly tmp: string;
}

/** A folder of this machine that a command sees, and cannot change. */
export interface ReadOnlyMount {
  readonly from: string;
  /** Absolute path where the command sees it. Inside the workspace, the folder that it covers must exist. */
  readonly at: string;
}

/** Where a command sees its folders. Without a sandbox these are the folders of the machine. */
export interface CommandPaths {
  readonly workspace: string;
  readonly tmp: string;
  readonly home: string;
}

export interface ContainedCommand {
  /** Absolute path of the program, as the command sees it. */
  readonly file: string;
  readonly args: readonly string[];
  /** Working directory, relative to the workspace. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folders: CommandFolders;
  readonly mounts: readonly ReadOnlyMount[];
  readonly limits: CommandLimits;
  /** Folder with the socket of the proxy; without it, the command has no network. */
  readonly proxyFolder?: string | undefined;
}

/** A command line that starts a contained command on this machine. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  /** Environment of the mechanism itself. That of the command reaches it by another way, so that it cannot change the mechanism. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Contents of inherited file descriptors, the first of which is number 4. */
  readonly inputs?: readonly Uint8Array[];
  /** Files to write into the private folder of the launch, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

export const SANDBOX_PATHS: CommandPaths = { workspace: '/workspace', tmp: '/tmp', home: '/home/agent' };
/** User and group id that a command sees. */
export const SANDBOX_UID = 1000;
/** Folder in which a command finds the socket of the proxy. */
export const PROXY_FOLDER = '/run/phaseline';
export const PROXY_SOCKET = 'proxy.sock';
/** Port on which a bridge inside the sandbox forwards connections to the proxy. */
export const PROXY_PORT = 3128;
/** Size in bytes of each of the small file systems in memory: home and `/dev/shm`. */
export const MEMORY_DISK_BYTES = 64 * 1024 * 1024;

/**
 * Limits on tasks, which are processes and threads: a runtime such as Node.js has about ten threads per process. The number of
 * processes is counted by a watcher; this limit of the kernel holds what grows faster than it is counted.
 */
export function computeMaxTasks({ maxProcesses }: Pick<CommandLimits, 'maxProcesses'>): number {
  return maxProcesses * 16 + 64;
}

/**
 * Maximum size in bytes of a memory image after a crash. With 1 the kernel makes none; with 0 it would still pass one to a program of the
 * machine that collects crash reports.
 */
export const CORE_BYTES = 1;

/** Allowance for memory that runtimes reserve and do not use: they reserve hundreds of megabytes and would not start without it. */
const RESERVED_MEMORY_BYTES = 1024 * 1024 * 1024;

/** Returns the arguments of `prlimit` that set the limits which the kernel enforces per process, and on all tasks together. */
export function buildRlimits(limits: CommandLimits): string[] {
  return [
    `--data=${limits.maxMemoryBytes + RESERVED_MEMORY_BYTES}`,
    `--core=${CORE_BYTES}`,
    `--fsize=${limits.maxFileBytes}`,
    `--nproc=${computeMaxTasks(limits)}`,
  ];
}
