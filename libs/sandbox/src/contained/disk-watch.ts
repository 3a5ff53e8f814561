import { lstat, opendir, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** Minimum time in milliseconds between two measurements, and their maximum share of the time. */
const MIN_PAUSE_MS = 2_000;
const PAUSE_FACTOR = 10;
/** Bytes that each file and folder counts at least, so that many empty files are limited too. */
const MIN_ENTRY_BYTES = 4_096;

/**
 * Measures how much disk a command uses. Walking through a large folder takes time, so it is done rarely, and at once when the free
 * space of the disk has shrunk by more than the limit leaves.
 */
export class DiskWatch {
  private usedBytes = 0;
  private freeBytes: number | undefined;
  private nextMs = performance.now() + MIN_PAUSE_MS;

  constructor(
    private readonly folders: readonly string[],
    private readonly maxBytes: number,
    /** Lists the processes of the command, which may have files open that were deleted. */
    private readonly listProcesses: () => Promise<readonly number[]> = () => Promise.resolve([]),
  ) {}

  /** Whether the folders now exceed the limit. */
  async isExceeded(): Promise<boolean> {
    const [folder] = this.folders;
    const { bavail, bsize } = await statfs(folder!);
    const free = bavail * bsize;
    this.freeBytes ??= free;
    const startedMs = performance.now();
    if (startedMs < this.nextMs && this.freeBytes - free <= this.maxBytes - this.usedBytes) return false;
    const namedBytes = await measure(this.folders, this.maxBytes);
    this.usedBytes = namedBytes + (namedBytes > this.maxBytes ? 0 : await this.measureDeleted());
    this.freeBytes = free;
    const now = performance.now();
    this.nextMs = now + Math.max(MIN_PAUSE_MS, (now - startedMs) * PAUSE_FACTOR);
    return this.usedBytes > this.maxBytes;
  }

  /** Adds up the files on the disk of the folders that processes have open and that have no name any more. */
  private async measureDeleted(): Promise<number> {
    const devices = new Set(await Promise.all(this.folders.map(async (folder) => (await lstat(folder)).dev)));
    const bytes = new Map<string, number>();
    for (const pid of await this.listProcesses()) {
      const names = await readdir(`/proc/${pid}/fd`).catch((): string[] => []);
      for (const name of names) {
        const found = await stat(`/proc/${pid}/fd/${name}`).catch(() => undefined);
        if (found?.nlink === 0 && devices.has(found.dev)) bytes.set(`${found.dev}:${found.ino}`, found.blocks * 512);
      }
    }
    return [...bytes.values()].reduce((sum, one) => sum + one, 0);
  }
}

/** Adds up what is in the folders, and stops above the limit. A file that disappears meanwhile counts nothing. */
async function measure(folders: readonly string[], maxBytes: number): Promise<number> {
  let bytes = 0;
  const pending = [...folders];
  for (let folder = pending.pop(); folder !== undefined && bytes <= maxBytes; folder = pending.pop()) {
    try {
      for await (const entry of await opendir(folder)) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) pending.push(path);
        const { blocks } = await lstat(path);
        bytes += Math.max(MIN_ENTRY_BYTES, blocks * 512);
        if (bytes > maxBytes) break;
      }
    } catch {
      // Removed, or not readable for this user.
    }
  }
  return bytes;
}
