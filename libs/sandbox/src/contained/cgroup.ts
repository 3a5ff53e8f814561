import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { computeMaxTasks, type CommandLimits } from './sandbox-settings.js';

/** Attempts to remove a group, 10 ms apart: the kernel reports its last process as a member for a moment. */
const REMOVE_ATTEMPTS = 100;

/** Folders of the file system of control groups in which this process may make groups. */
export interface CgroupPlaces {
  readonly version: 1 | 2;
  readonly memory: string;
  readonly pids: string;
}

/**
 * Finds where control groups with limits on memory and tasks can be made; undefined where this user cannot. Tries it, because
 * permissions and delegation cannot be read. `root` is `/sys/fs/cgroup` and `own` the content of `/proc/self/cgroup`.
 */
export function findCgroups(
  root = '/sys/fs/cgroup',
  own = readOwn(),
  name = `phaseline-probe-${process.pid}`,
): CgroupPlaces | undefined {
  const paths = new Map(
    own
      .trimEnd()
      .split('\n')
      .flatMap((line) => {
        const [, controllers = '', ...path] = line.split(':');
        return controllers.split(',').map((controller) => [controller, path.join(':')] as const);
      }),
  );
  const findV1 = (controller: string, file: string): string | undefined =>
    [join(root, controller, paths.get(controller) ?? ''), join(root, controller)].find((folder) =>
      canMake(folder, name, file),
    );
  if (existsSync(join(root, 'cgroup.controllers'))) {
    const ownPath = join(root, paths.get('') ?? '');
    const folder = [ownPath, join(ownPath, '..')].find(
      (one) => one.startsWith(root) && hasControllers(one) && canMake(one, name, 'memory.max', 'pids.max'),
    );
    return folder === undefined ? undefined : { version: 2, memory: folder, pids: folder };
  }
  const memory = findV1('memory', 'memory.limit_in_bytes');
  const pids = findV1('pids', 'pids.max');
  return memory !== undefined && pids !== undefined ? { version: 1, memory, pids } : undefined;
}

/** `phaseline-<process namespace>-<pid>-<start time>-<any>`: the process that made a group. */
const GROUP_NAME = /^phaseline-(\d+)-(\d+)-(\d+)-/;

/** Returns a name for a control group from which other processes can tell whether this one still runs. */
export function nameCgroup(unique: string): string {
  return `phaseline-${readNamespace()}-${process.pid}-${readStartTime(process.pid) ?? 0}-${unique}`;
}

/**
 * Removes the control groups of processes that have ended without doing so, with what still runs in them. Groups of another process
 * namespace are left alone, because its process ids mean nothing here.
 */
export async function removeAbandonedCgroups({ memory, pids }: CgroupPlaces): Promise<void> {
  for (const place of new Set([memory, pids]))
    for (const name of readdirSync(place)) {
      const [, namespace, pid, startTime] = GROUP_NAME.exec(name) ?? [];
      if (namespace !== readNamespace() || readStartTime(Number(pid)) === startTime) continue;
      await removeGroup(join(place, name));
    }
}

function readNamespace(): string | undefined {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
}

/** Returns when a process started, in ticks since the start of the machine; undefined if it does not run. */
function readStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** A control group of one command. */
export class Cgroup {
  private readonly folders: readonly string[];
  private readonly memory: string;
  private readonly pids: string;

  constructor(
    private readonly places: CgroupPlaces,
    name: string,
    limits: CommandLimits,
  ) {
    this.memory = join(places.memory, name);
    this.pids = join(places.pids, name);
    this.folders = [...new Set([this.memory, this.pids])];
    for (const folder of this.folders) mkdirSync(folder);
    const isV2 = places.version === 2;
    writeFileSync(join(this.pids, 'pids.max'), `${computeMaxTasks(limits)}`);
    writeFileSync(join(this.memory, isV2 ? 'memory.max' : 'memory.limit_in_bytes'), `${limits.maxMemoryBytes}`);
    // Memory that is swapped out counts too. Not every kernel has these files.
    writeIfPresent(
      join(this.memory, isV2 ? 'memory.swap.max' : 'memory.memsw.limit_in_bytes'),
      isV2 ? '0' : `${limits.maxMemoryBytes}`,
    );
    if (isV2) writeIfPresent(join(this.memory, 'memory.oom.group'), '1');
  }

  /** Shell code that moves the shell into the group. */
  get enter(): string {
    return this.folders.map((folder) => `echo 0 > '${join(folder, 'cgroup.procs')}' || exit 125; `).join('');
  }

  /** Returns the limit that the kernel enforced, if it did. */
  async findExceeded(): Promise<'memory' | 'processes' | undefined> {
    const [memory, pids] = await Promise.all([
      readFile(join(this.memory, this.places.version === 2 ? 'memory.events' : 'memory.oom_control'), 'latin1').catch(
        () => '',
      ),
      readFile(join(this.pids, 'pids.events'), 'latin1').catch(() => ''),
    ]);
    if (/^oom_kill [1-9]/m.test(memory)) return 'memory';
    return /^max [1-9]/m.test(pids) ? 'processes' : undefined;
  }

  async countProcesses(): Promise<number> {
    const text = await readFile(join(this.pids, 'cgroup.procs'), 'latin1').catch(() => '');
    return text === '' ? 0 : text.trimEnd().split('\n').length;
  }

  /** Kills what is left in the group, and removes it. */
  async remove(): Promise<void> {
    for (const folder of this.folders) await removeGroup(folder);
  }
}

async function removeGroup(folder: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const pids = await readFile(join(folder, 'cgroup.procs'), 'latin1').catch(() => '');
    for (const pid of pids.trimEnd().split('\n').filter(Boolean)) kill(Number(pid));
    try {
      return await rmdir(folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || attempt >= REMOVE_ATTEMPTS) return;
      await sleep(10);
    }
  }
}

function kill(pid: number): void {
  try {
    // 0 is a process of another namespace, which would be the group of this process.
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

function readOwn(): string {
  try {
    return readFileSync('/proc/self/cgroup', 'utf8');
  } catch {
    return '';
  }
}

/** Whether groups below a folder have both controllers, which are enabled if they are not. */
function hasControllers(folder: string): boolean {
  try {
    const path = join(folder, 'cgroup.subtree_control');
    const isEnabled = (): boolean =>
      ['memory', 'pids'].every((name) => readFileSync(path, 'utf8').split(/\s/).includes(name));
    if (!isEnabled()) writeFileSync(path, '+memory +pids');
    return isEnabled();
  } catch {
    return false;
  }
}

function canMake(parent: string, name: string, ...files: readonly string[]): boolean {
  const folder = join(parent, name);
  try {
    mkdirSync(folder);
  } catch {
    return false;
  }
  try {
    for (const file of [...files, 'cgroup.procs']) accessSync(join(folder, file), constants.W_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

function writeIfPresent(path: string, text: string): void {
  try {
    if (existsSync(path)) writeFileSync(path, text);
  } catch {
    // Optional.
  }
}
