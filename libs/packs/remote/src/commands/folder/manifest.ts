import { readFile, rename, writeFile } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import type { FileMode } from '@phaseline/domain';

/** What a working folder holds under a path, as of the last comparison. */
export interface HeldFile {
  readonly hash: string;
  readonly mode?: FileMode | undefined;
  /** Changes whenever the file is touched. */
  readonly stamp: string;
}

/**
 * Describes a file so that every change of it shows. A program can set back the modification time, but not the change time, which
 * the kernel sets.
 */
export function stampOf({ ino, size, mtimeNs, ctimeNs, mode }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs} ${mode}`;
}

const FORMAT = 1;

/** The files of a working folder with their hashes, so that only touched files are read again. */
export class Manifest {
  private isSaved = false;
  private changedMs = performance.now();

  private constructor(private readonly files: Map<string, HeldFile>) {}

  static empty(): Manifest {
    return new Manifest(new Map());
  }

  /** Reads a stored manifest; undefined if there is none that can be read, in which case the folder is built again. */
  static async load(place: string): Promise<Manifest | undefined> {
    try {
      const stored = JSON.parse(await readFile(place, 'utf8')) as { format: number; files: [string, HeldFile][] };
      if (stored.format !== FORMAT) return undefined;
      const manifest = new Manifest(new Map(stored.files));
      manifest.isSaved = true;
      return manifest;
    } catch {
      return undefined;
    }
  }

  /** When a stamp was read last, in the milliseconds of `performance.now()`. A stored manifest counts as read when it is loaded. */
  get lastChangeMs(): number {
    return this.changedMs;
  }

  get(path: string): HeldFile | undefined {
    return this.files.get(path);
  }

  paths(): readonly string[] {
    return [...this.files.keys()];
  }

  set(path: string, file: HeldFile): void {
    this.isSaved = false;
    this.changedMs = performance.now();
    this.files.set(path, file);
  }

  delete(path: string): void {
    if (this.files.delete(path)) this.isSaved = false;
  }

  /** Replaces the stored manifest in one step, so that a process killed meanwhile leaves the previous one. */
  async save(place: string): Promise<void> {
    if (this.isSaved) return;
    await writeFile(`${place}.new`, JSON.stringify({ format: FORMAT, files: [...this.files] }), { mode: 0o600 });
    await rename(`${place}.new`, place);
    this.isSaved = true;
  }
}
