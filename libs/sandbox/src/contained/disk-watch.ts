import { lstat, opendir, statfs } from 'node:fs/promises';
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
  ) {}

  /** Whether the folders now exceed the limit. */
  async isExceeded(): Promise<boolean> {
    const [folder] = this.folders;
    const { bavail, bsize } = await statfs(folder!);
    const free = bavail * bsize;
    this.freeBytes ??= free;
    const startedMs = performance.now();
    if (startedMs < this.nextMs && this.freeBytes - free <= this.maxBytes - this.usedBytes) return false;
    this.usedBytes = await measure(this.folders, this.maxBytes);
    this.freeBytes = free;
    const now = performance.now();
    this.nextMs = now + Math.max(MIN_PAUSE_MS, (now - startedMs) * PAUSE_FACTOR);
    return this.usedBytes > this.maxBytes;
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
