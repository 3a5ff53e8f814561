import { ownBytes } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import { LRUCache } from 'lru-cache';
import type { ByteRange } from './file-change.js';
import { readBlobs, type BlobReader } from './staged-workspace.js';

/** Memory of an entry besides its content: its hash, its list entry, and the objects of its array. */
const ENTRY_BYTES = 500;

/** LRU cache of blobs, up to `maxBytes`. A blob never changes, so entries cannot become stale. */
export class CachedBlobs implements BlobReader {
  private readonly recent: LRUCache<string, Uint8Array>;

  constructor(
    private readonly source: BlobReader,
    private readonly maxBytes = 32 * 1024 * 1024,
  ) {
    this.recent = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ byteLength }) => byteLength + ENTRY_BYTES });
  }

  /** Jobs with separate storage are not cached, because erased content must not remain in memory. */
  forJob(jobId: JobId): BlobReader {
    const own = this.source.forJob?.(jobId) ?? this.source;
    return own === this.source ? this : own;
  }

  async get(hash: string): Promise<Uint8Array | undefined> {
    const cached = this.recent.get(hash);
    if (cached) return cached;
    const content = await this.source.get(hash);
    // One large file must not evict all other entries.
    if (!content || content.byteLength > this.maxBytes / 4) return content;
    const own = ownBytes(content);
    this.recent.set(hash, own);
    return own;
  }

  /** Reads what is not cached with few queries. Whole folders are read like this, once, so that the result is not cached. */
  async getAll(hashes: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    for (const hash of hashes) {
      const cached = this.recent.get(hash);
      if (cached) found.set(hash, cached);
    }
    const missing = hashes.filter((hash) => !found.has(hash));
    if (missing.length === 0) return found;
    for (const [hash, content] of await readBlobs(this.source, missing)) found.set(hash, content);
    return found;
  }

  /** Ranges are not cached: they are read from large files, one after the other. */
  async read(hash: string, range: ByteRange): Promise<Uint8Array | undefined> {
    const cached = this.recent.get(hash);
    if (!cached && this.source.read) return this.source.read(hash, range);
    const content = cached ?? (await this.get(hash));
    return content?.subarray(range.offset, range.offset + range.length);
  }

  /** Yields nothing if the blob does not exist. */
  async *stream(hash: string): AsyncGenerator<Uint8Array, void, undefined> {
    const cached = this.recent.get(hash);
    if (!cached && this.source.stream) {
      yield* this.source.stream(hash);
      return;
    }
    const content = cached ?? (await this.get(hash));
    if (content) yield content;
  }
}
