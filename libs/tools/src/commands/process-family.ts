import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Bytes of a page of memory; larger on a few machines, where memory is then counted too low. */
const PAGE_BYTES = 4096;
const SWEEPS = 40;

interface Member {
  readonly pid: number;
  readonly memoryBytes: number;
}

/**
 * A process started as the leader of its own session, with all that came of it. The kernel knows the session; a process
 * that left it is known by its working directory, or by a marker in the environment that it was started with. One that leaves all
 * three is not found: only a sandbox holds such a program.
 */
export class ProcessFamily {
  constructor(
    private readonly leader: number,
    /** `NAME=value` in the environment of the leader, and of nobody else on this machine. */
    private readonly marker: string,
    /** A folder that only this family works in. */
    private readonly folder?: string | undefined,
  ) {}

  /** How many processes there are and the memory they have, in bytes; `undefined` where the system does not tell. */
  async usage(): Promise<{ readonly processes: number; readonly memoryBytes: number } | undefined> {
    const members = await this.members(false);
    if (!members) return undefined;
    return { processes: members.length, memoryBytes: members.reduce((sum, one) => sum + one.memoryBytes, 0) };
  }

  /** Asks all of them to end. */
  terminate(): void {
    signal(-this.leader, 'SIGTERM');
  }

  /** Ends all of them, also those that left the group or are being started meanwhile. */
  async kill(): Promise<void> {
    // The group goes in one step, so that nothing in it can start something new in between.
    signal(-this.leader, 'SIGKILL');
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
      const members = await this.members(true);
      if (!members || members.length === 0) return;
      for (const { pid } of members) signal(pid, 'SIGKILL');
      await sleep(5);
    }
  }

  private async members(byMarker: boolean): Promise<readonly Member[] | undefined> {
    let names: readonly string[];
    try {
      names = await readdir('/proc');
    } catch {
      return undefined;
    }
    const pids = names.filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(pids.map((pid) => this.member(pid, byMarker)));
    return found.filter((one) => one !== undefined);
  }

  private async member(pid: string, byMarker: boolean): Promise<Member | undefined> {
    try {
      const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
      // The name of the program, in brackets, may itself have brackets and blanks in it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [state, , , session] = fields;
      if (state === 'Z' || state === 'X') return undefined;
      const isOne =
        Number(session) === this.leader ||
        (await this.worksInside(pid)) ||
        (byMarker && (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0').includes(this.marker));
      return isOne ? { pid: Number(pid), memoryBytes: Number(fields[21] ?? 0) * PAGE_BYTES } : undefined;
    } catch {
      // It ended meanwhile, or is somebody else's.
      return undefined;
    }
  }

  private async worksInside(pid: string): Promise<boolean> {
    if (this.folder === undefined) return false;
    const directory = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    return directory === this.folder || directory.startsWith(`${this.folder}/`);
  }
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // Nothing there any more.
  }
}
