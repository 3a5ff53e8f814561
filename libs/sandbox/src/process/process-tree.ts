import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Size of a memory page in bytes. On the few machines with larger pages, memory is underestimated. */
const PAGE_BYTES = 4096;
/** Number of times that `kill` searches for remaining processes before it gives up. */
const MAX_KILL_ROUNDS = 40;

interface Member {
  readonly pid: number;
  readonly memoryBytes: number;
}

/**
 * A process that was started as a session leader, with all its descendants. Descendants are recognised by their session; one that
 * left the session, by its working directory or by a marker in the environment that it was started with. A process that changes all
 * three is not found: only a sandbox can contain it.
 */
export class ProcessTree {
  constructor(
    private readonly leader: number,
    /** `NAME=value` in the environment of the leader and of no other process on this machine. */
    private readonly marker: string,
    /** A folder that no other process works in. */
    private readonly folder?: string | undefined,
  ) {}

  /** Returns the number of processes and their memory in bytes; undefined on a system without `/proc`. */
  async usage(): Promise<{ readonly processes: number; readonly memoryBytes: number } | undefined> {
    const listMembers = await this.listMembers(false);
    if (!listMembers) return undefined;
    return { processes: listMembers.length, memoryBytes: listMembers.reduce((sum, one) => sum + one.memoryBytes, 0) };
  }

  /** Returns the process ids of its members; none on a system without `/proc`. */
  async listProcesses(): Promise<readonly number[]> {
    return (await this.listMembers(false))?.map(({ pid }) => pid) ?? [];
  }

  /** Sends SIGTERM to the process group of the leader. */
  terminate(): void {
    sendSignal(-this.leader, 'SIGTERM');
  }

  /** Kills all of them, including those that left the group or are started meanwhile. */
  async kill(): Promise<void> {
    // Kill the whole group in one step, so that no member can start another process in between.
    sendSignal(-this.leader, 'SIGKILL');
    for (let round = 0; round < MAX_KILL_ROUNDS; round += 1) {
      const listMembers = await this.listMembers(true);
      if (!listMembers || listMembers.length === 0) return;
      for (const { pid } of listMembers) sendSignal(pid, 'SIGKILL');
      await sleep(5);
    }
  }

  private async listMembers(byMarker: boolean): Promise<readonly Member[] | undefined> {
    let names: readonly string[];
    try {
      names = await readdir('/proc');
    } catch {
      return undefined;
    }
    const pids = names.filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(pids.map((pid) => this.readMember(pid, byMarker)));
    return found.filter((one) => one !== undefined);
  }

  private async readMember(pid: string, byMarker: boolean): Promise<Member | undefined> {
    try {
      const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
      // The program name is in parentheses and may itself contain parentheses and spaces.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [state, , , session] = fields;
      if (state === 'Z' || state === 'X') return undefined;
      const isMember =
        Number(session) === this.leader ||
        (await this.worksInside(pid)) ||
        (byMarker && (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0').includes(this.marker));
      return isMember ? { pid: Number(pid), memoryBytes: Number(fields[21] ?? 0) * PAGE_BYTES } : undefined;
    } catch {
      // It ended meanwhile, or belongs to another user.
      return undefined;
    }
  }

  private async worksInside(pid: string): Promise<boolean> {
    if (this.folder === undefined) return false;
    const directory = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    return directory === this.folder || directory.startsWith(`${this.folder}/`);
  }
}

function sendSignal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // Already gone.
  }
}
