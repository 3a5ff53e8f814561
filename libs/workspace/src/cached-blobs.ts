import type { ByteRange } from './file-change.js';
import type { BlobReader } from './staged-workspace.js';

/** Keeps the blobs read last in memory, up to `maxBytes`. A blob never changes, so nothing can go stale. */
export class CachedBlobs implements BlobReader {
  private readonly kept = new Map<string, Uint8Array>();
  private bytes = 0;

  constructor(
    private readonly source: BlobReader,
    private readonly maxBytes = 32 * 1024 * 1024,
  ) {}

  /** Of a job whose files are kept apart nothing is cached: what is erased must not stay in a memory. */
  of(jobId: string): BlobReader {
    const own = this.source.of?.(jobId) ?? this.source;
    return own === this.source ? this : own;
  }

  async get(hash: string): Promise<Uint8Array | undefined> {
    const known = this.kept.get(hash);
    if (known) {
      this.kept.delete(hash);
      this.kept.set(hash, known);
      return known;
    }
    const content = await this.source.get(hash);
    if (content) this.keep(hash, content);
    return content;
  }

  /** A range is not kept: whoever reads one reads a large file, and another range next. */
  async read(hash: string, range: ByteRange): Promise<Uint8Array | undefined> {
    const known = this.kept.get(hash);
    if (!known && this.source.read) return this.source.read(hash, range);
    const content = known ?? (await this.get(hash));
    return content?.subarray(range.offset, range.offset + range.length);
  }

  /** Nothing when there is no such blob. */
  async *stream(hash: string): AsyncGenerator<Uint8Array, void, undefined> {
    const known = this.kept.get(hash);
    if (!known && this.source.stream) {
      yield* this.source.stream(hash);
      return;
    }
    const content = known ?? (await this.get(hash));
    if (content) yield content;
  }

  private keep(hash: string, content: Uint8Array): void {
    // One large file must not push everything else out.
    if (content.byteLength > this.maxBytes / 4 || this.kept.has(hash)) return;
    this.kept.set(hash, content);
    this.bytes += content.byteLength;
    for (const [oldest, value] of this.kept) {
      if (this.bytes <= this.maxBytes) break;
      this.kept.delete(oldest);
      this.bytes -= value.byteLength;
    }
  }
}
