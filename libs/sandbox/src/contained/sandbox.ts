import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '@phaseline/basics/processes';
import type { SecretMask } from '@phaseline/basics/secrets';
import { ToolError } from '@phaseline/contracts';
import { BoundedOutput } from '../process/bounded-output.js';
import { buildSearchPath, findProgram } from '../process/find-program.js';
import { ProcessTree } from '../process/process-tree.js';
import { BRIDGE, buildProxyVariables } from '../proxy/bridge.js';
import { CommandProxy } from '../proxy/command-proxy.js';
import type { SandboxCommand } from './sandbox-command.js';
import { parseNetworks } from '../request/addresses.js';
import type { AddressRule } from '../request/guarded-request.js';
import { Cgroup, findCgroups, nameCgroup, removeAbandonedCgroups, type CgroupPlaces } from './cgroup.js';
import { findChildren, findDescendants, isAnyRunning, measureDescendants } from './descendants.js';
import {
  findBubblewrap,
  findContainers,
  findNone,
  findUnshare,
  findUserTools,
  type ContainmentMethod,
  type MissingMethod,
} from './mechanisms.js';
import { findOtherUser, giveFolders, launchAsUser, type UserTools } from './other-user.js';
import { probeMethod } from './probe.js';
import type {
  CommandFolders,
  CommandPaths,
  ContainedCommand,
  Launch,
  Mechanism,
  SandboxSettings,
} from './sandbox-settings.js';
import { killGroup, startLaunch, type ContainedEnd, type ContainedProcess, type ProcessGroup } from './start-launch.js';
import { buildSupervisedArguments } from './supervisor.js';
import { findToolchain, isWithin, type Toolchain } from './toolchain.js';

const MARKER_VARIABLE = 'PHASELINE_COMMAND';

/** How this machine contains commands. */
export interface SandboxReport {
  readonly mechanism: Mechanism;
  /** What limits memory and processes. */
  readonly limitedBy: 'cgroup v1' | 'cgroup v2' | 'rlimits and a watcher' | 'container' | 'nothing';
  /** Whether a filter of system calls is installed. */
  readonly hasFilter: boolean;
  /** Why nothing better is used. */
  readonly reasons: readonly string[];
}

interface OutputOptions {
  readonly stdin?: string | undefined;
  readonly maxOutputBytes: number;
  /** Masks the output before it is cut. */
  readonly mask?: SecretMask | undefined;
}

export interface CommandResult extends ContainedEnd {
  readonly stdout: BoundedOutput;
  readonly stderr: BoundedOutput;
}

/** Runs commands so that they reach nothing but their own folders and the programs of the system. */
export class Sandbox {
  private readonly toolchain: Toolchain;
  private readonly addresses: AddressRule;
  private chosen?: Promise<{ readonly method: ContainmentMethod; readonly report: SandboxReport }>;
  private cgroups: CgroupPlaces | undefined;
  private userTools?: Promise<UserTools | undefined>;

  constructor(
    private readonly settings: SandboxSettings,
    addresses?: AddressRule,
  ) {
    this.toolchain = findToolchain(settings.toolchain);
    this.addresses = addresses ?? { allowed: parseNetworks([]) };
  }

  /**
   * Returns how commands are contained, after a test on this machine that runs once. Throws ToolError `no_sandbox` with the reason
   * and the remedy.
   */
  async check(): Promise<SandboxReport> {
    return (await this.choose()).report;
  }

  /** Returns where a command sees its folders. */
  async getPaths(folders: CommandFolders): Promise<CommandPaths> {
    return (await this.choose()).method.getPaths(folders);
  }

  /** Returns the user that owns the folders of commands, where that is another than the user of this process. */
  async getOwner(): Promise<number | undefined> {
    const { method } = await this.choose();
    // With mapped ids, the files on the disk keep the user of this process.
    return method.isNamespaced && !this.cgroups && !(await this.findUserTools()) ? findOtherUser() : undefined;
  }

  /** Returns the path of an allowed program. Throws ToolError `not_allowed` or `program_missing`. */
  async findProgram(program: string, allow: readonly string[], path: readonly string[]): Promise<string> {
    const { method } = await this.choose();
    if (method.name === 'container') {
      if (!allow.includes(program)) await findProgram(program, allow, []);
      return program;
    }
    const file = await findProgram(program, allow, buildSearchPath(path));
    if (method.isNamespaced) await this.requireVisible(file);
    return file;
  }

  /** Starts a command. Throws ToolError `no_sandbox`, `not_started` or the reason of an aborted signal. */
  async start(command: SandboxCommand, signal?: AbortSignal): Promise<ContainedProcess> {
    const { method } = await this.choose();
    return this.startWith(method, command, signal);
  }

  /** Runs a command until it ends or reaches a limit. Throws the reason of `signal` when it is aborted. */
  async run(command: SandboxCommand, options: OutputOptions, signal: AbortSignal): Promise<CommandResult> {
    return collectResult(await this.start(command, signal), options, signal);
  }

  private choose(): Promise<{ readonly method: ContainmentMethod; readonly report: SandboxReport }> {
    return (this.chosen ??= this.probe());
  }

  private async probe(): Promise<{ readonly method: ContainmentMethod; readonly report: SandboxReport }> {
    const { mode, containerProgram = 'docker', containerImage, limitedBy } = this.settings;
    this.cgroups = limitedBy === 'rlimits' ? undefined : findCgroups();
    if (this.cgroups) await removeAbandonedCgroups(this.cgroups);
    const find = {
      bubblewrap: () => findBubblewrap(this.toolchain),
      unshare: () => findUnshare(this.toolchain),
      container: () => findContainers(containerProgram, containerImage),
      none: () => findNone(),
    } as const satisfies Record<Mechanism, () => Promise<ContainmentMethod | MissingMethod>>;
    const reasons: string[] = [];
    for (const name of mode === 'auto' ? (['bubblewrap', 'unshare'] as const) : [mode]) {
      const method = await find[name]();
      const problem =
        'missing' in method
          ? `it needs ${method.missing}`
          : await probeMethod(method.name, (command, signal) => this.startWith(method, command, signal));
      if (problem === undefined)
        return { method: method as ContainmentMethod, report: this.describe(method as ContainmentMethod, reasons) };
      reasons.push(`${name}: ${problem}`);
    }
    throw new ToolError(
      'no_sandbox',
      `Commands are not run, because this machine cannot contain them (${reasons.join('; ')}). An operator installs bubblewrap (apt-get install bubblewrap), allows user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), or sets PHASELINE_SANDBOX.`,
    );
  }

  /** `reasons` say why mechanisms that are preferred do not work. */
  private describe({ name, hasFilter, isNamespaced }: ContainmentMethod, reasons: readonly string[]): SandboxReport {
    const common = { mechanism: name, hasFilter };
    if (name === 'none')
      return { ...common, limitedBy: 'rlimits and a watcher', reasons: ['PHASELINE_SANDBOX is none'] };
    if (!isNamespaced) return { ...common, limitedBy: 'container', reasons };
    const { cgroups } = this;
    return {
      ...common,
      limitedBy: cgroups ? `cgroup v${cgroups.version}` : 'rlimits and a watcher',
      reasons: [
        ...reasons,
        ...(cgroups ? [] : ['control groups: this user can make none']),
        ...(hasFilter ? [] : ['filter of system calls: Perl is missing, or the processor has no table']),
      ],
    };
  }

  private async startWith(
    method: ContainmentMethod,
    command: SandboxCommand,
    signal?: AbortSignal,
  ): Promise<ContainedProcess> {
    signal?.throwIfAborted();
    const { folders, limits, mounts = [], network = [] } = command;
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'phaseline-launch-')));
    let proxy: CommandProxy | undefined;
    let cgroup: Cgroup | undefined;
    const cleanUp = async (): Promise<void> => {
      await proxy?.close();
      await cgroup?.remove();
      await rm(folder, { recursive: true, force: true });
    };
    try {
      const hasNetwork = network.length > 0 && method.name !== 'none';
      const proxyFolder = hasNetwork ? join(folder, 'proxy') : undefined;
      if (proxyFolder !== undefined)
        proxy = await CommandProxy.start(
          proxyFolder,
          { network, addresses: this.addresses },
          command.onConnection ?? (() => undefined),
        );
      const marker = randomUUID();
      const contained = this.buildCommand(method, command, proxyFolder, marker);
      const launch = method.launch(contained, folder);
      for (const [name, text] of Object.entries(launch.files ?? {})) await writeFile(join(folder, name), text);
      if (method.name === 'none') await mkdir(method.getPaths(folders).home, { recursive: true });
      const cgroups = method.isNamespaced ? this.cgroups : undefined;
      if (cgroups) cgroup = new Cgroup(cgroups, nameCgroup(marker), limits);
      const user = method.isNamespaced && !cgroups ? findOtherUser() : undefined;
      const started =
        user === undefined
          ? { launch }
          : await this.prepareUser(
              launch,
              user,
              [folder, folders.folder, folders.tmp],
              mounts.map(({ from }) => from),
            );
      const supervised = await startLaunch(started.launch, {
        limits,
        folders,
        cgroup,
        user: started.user,
        ownProcesses: method.ownProcesses + (hasNetwork ? 1 : 0) + (command.services?.length ? 1 : 0),
        hasShellStatus: method.isNamespaced || method.name === 'container',
        createGroup: (pid, isRunning) =>
          method.isNamespaced
            ? createNamespaceGroup(pid, isRunning)
            : createOtherGroup(
                pid,
                launch.container && { program: launch.file, name: launch.container, env: launch.env },
                marker,
                folders,
              ),
        cleanUp,
      });
      const stop = (): void => void supervised.stop().catch(() => undefined);
      signal?.addEventListener('abort', stop, { once: true });
      void supervised.ended.finally(() => signal?.removeEventListener('abort', stop)).catch(() => undefined);
      if (signal?.aborted) stop();
      return supervised;
    } catch (error) {
      await cleanUp();
      throw error;
    }
  }

  private findUserTools(): Promise<UserTools | undefined> {
    return (this.userTools ??= this.settings.mapsIds === false ? Promise.resolve(undefined) : findUserTools());
  }

  /** Lets another user run a command line, own folders and read others. Returns the user if the process that starts it must have changed to it. */
  private async prepareUser(
    launch: Launch,
    user: number,
    given: readonly string[],
    read: readonly string[],
  ): Promise<{ readonly launch: Launch; readonly user?: number }> {
    const tools = await this.findUserTools();
    if (tools)
      return { launch: launchAsUser(launch, user, tools, { given, reached: [...this.toolchain.folders, ...read] }) };
    await giveFolders(user, [...given, ...read]);
    return { launch, user };
  }

  private buildCommand(
    method: ContainmentMethod,
    { file, args, cwd = '', env, path = [], folders, mounts = [], limits, services = [] }: SandboxCommand,
    proxyFolder: string | undefined,
    marker: string,
  ): ContainedCommand {
    const { tmp, home } = method.getPaths(folders);
    const node = method.name === 'container' ? 'node' : process.execPath;
    const supervised =
      services.length === 0
        ? { file, args }
        : { file: node, args: buildSupervisedArguments(services, [file, ...args]) };
    const bridged =
      proxyFolder === undefined
        ? supervised
        : { file: node, args: ['-e', BRIDGE, supervised.file, ...supervised.args] };
    return {
      ...bridged,
      cwd,
      env: {
        ...{ PATH: buildSearchPath(path).join(':'), HOME: home, TMPDIR: tmp, LANG: 'C.UTF-8', TZ: 'UTC', TERM: 'dumb' },
        ...(proxyFolder === undefined ? {} : buildProxyVariables()),
        ...env,
        // Only outside a namespace are the processes of a command found by this variable.
        ...(method.name === 'none' ? { [MARKER_VARIABLE]: marker } : {}),
      },
      folders,
      mounts,
      limits,
      proxyFolder,
    };
  }

  private async requireVisible(file: string): Promise<void> {
    const visible = [...this.toolchain.folders, ...this.toolchain.links.map(({ path }) => path)];
    if (isWithin(file, visible) && isWithin(await realpath(file), this.toolchain.folders)) return;
    throw new ToolError(
      'program_missing',
      `The program ${file} is installed, but not in a folder that commands see. An operator can add its folder to PHASELINE_SANDBOX_TOOLCHAIN.`,
    );
  }
}

/** Collects the output of a command until it ends. */
async function collectResult(
  started: ContainedProcess,
  { stdin, maxOutputBytes, mask }: OutputOptions,
  signal: AbortSignal,
): Promise<CommandResult> {
  const stdout = new BoundedOutput(maxOutputBytes, mask);
  const stderr = new BoundedOutput(maxOutputBytes, mask);
  started.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  started.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // It is not an error when a program does not read its input.
  started.stdin.end(stdin ?? '');
  const end = await started.ended;
  signal.throwIfAborted();
  return { ...end, stdout, stderr };
}

function createNamespaceGroup(pid: number, isRunning: () => boolean): ProcessGroup {
  return {
    usage: () => measureDescendants(pid),
    listProcesses: () => findDescendants(pid),
    kill: async () => {
      if (!isRunning()) return;
      const children = await findChildren(pid);
      // The parent first: it would write about the end of its child.
      killGroup(pid);
      // When the first process of a namespace ends, the kernel ends all others, and only then does it become a zombie.
      for (const child of children) sendKill(child);
      while (children.length > 0 && (await isAnyRunning(children))) await sleep(5);
    },
  };
}

function createOtherGroup(
  pid: number,
  container: { readonly program: string; readonly name: string; readonly env: Launch['env'] } | '' | undefined,
  marker: string,
  { folder }: CommandFolders,
): ProcessGroup {
  const tree = new ProcessTree(pid, `${MARKER_VARIABLE}=${marker}`, folder);
  return {
    usage: () => (container ? Promise.resolve(undefined) : tree.usage()),
    listProcesses: () => (container ? Promise.resolve([]) : tree.listProcesses()),
    kill: async () => {
      // The container belongs to another process, which does not notice the end of the program that started it.
      if (container) {
        const { program, name, env } = container;
        await once(startProgram(program, ['rm', '--force', name], { stdio: 'ignore', env }), 'close');
      }
      await tree.kill();
    },
  };
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
