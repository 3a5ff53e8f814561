import type { JobId } from '@phaseline/contracts';
import { BlobNotStored, type EventLog } from '@phaseline/event-store';
import { getJobBlobs } from '@phaseline/workspace';
import type { FileVersion } from './file-version.js';

/** Maximum number and bytes of the versions that are read together. */
const MAX_VERSIONS_PER_READ = 32;
const MAX_BYTES_PER_READ = 4 * 1024 * 1024;
/** Larger contents are stored in pieces, and read one by one. */
const MAX_BYTES_OF_ONE = 1024 * 1024;

/** Text of a version. `missing`: its content is not stored, for example because retention removed it. */
export type VersionText = { readonly text: string } | 'missing' | 'not-text';

/**
 * Reads the texts of versions from the newest to the oldest. Reads a version together with those before it, so that a file with many
 * versions needs few queries.
 */
export class VersionContents {
  /** Contents by hash that were read and not used yet; undefined if they are not stored. */
  private readonly contents = new Map<string, Uint8Array | undefined>();

  constructor(private readonly store: Pick<EventLog, 'blobs'>) {}

  async read(version: FileVersion): Promise<VersionText> {
    if (!this.contents.has(version.hash)) await this.readTogether(version);
    const bytes = this.contents.get(version.hash);
    if (!bytes) return 'missing';
    if (version.mode === 'link' || bytes.includes(0)) return 'not-text';
    try {
      return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
    } catch {
      return 'not-text';
    }
  }

  private async readTogether(version: FileVersion): Promise<void> {
    this.contents.clear();
    const { jobId } = version;
    const hashes = listSmall(version);
    if (hashes.length <= 1) {
      this.contents.set(version.hash, await this.readOne(jobId, version.hash));
      return;
    }
    const blobs = this.store.blobs.forJob?.(jobId) ?? this.store.blobs;
    const stored = await blobs.has(hashes);
    const reader = getJobBlobs(this.store.blobs, jobId);
    const wanted = hashes.filter((hash) => stored.has(hash));
    const found = await reader.getAll?.(wanted);
    for (const hash of hashes)
      this.contents.set(hash, stored.has(hash) ? (found ? found.get(hash) : await reader.get(hash)) : undefined);
  }

  private async readOne(jobId: JobId, hash: string): Promise<Uint8Array | undefined> {
    try {
      return await getJobBlobs(this.store.blobs, jobId).get(hash);
    } catch (error) {
      if (error instanceof BlobNotStored) return undefined;
      throw error;
    }
  }
}

/** Lists the contents of a version and those before it which are small enough to be read together. */
function listSmall(newest: FileVersion): readonly string[] {
  const hashes = new Set<string>();
  let bytes = 0;
  for (let version: FileVersion | undefined = newest; version; version = version.previous) {
    if (version.jobId !== newest.jobId || version.size > MAX_BYTES_OF_ONE) break;
    if (!hashes.has(version.hash)) bytes += version.size;
    if (hashes.size === MAX_VERSIONS_PER_READ || bytes > MAX_BYTES_PER_READ) break;
    hashes.add(version.hash);
  }
  return [...hashes];
}
