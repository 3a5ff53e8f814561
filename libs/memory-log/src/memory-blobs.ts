import { contentHash, type Blobs } from '@phaseline/event-store';

export class MemoryBlobs implements Blobs {
  private readonly contents = new Map<string, Uint8Array>();

  async put(content: Uint8Array): Promise<string> {
    const hash = contentHash(content);
    this.putUnderHash(hash, content);
    return hash;
  }

  async get(hash: string): Promise<Uint8Array | undefined> {
    return this.getNow(hash);
  }

  /** `get` without waiting, for readers that cannot wait. */
  getNow(hash: string): Uint8Array | undefined {
    const content = this.contents.get(hash.toLowerCase());
    return content && Buffer.from(content);
  }

  async has(hashes: readonly string[]): Promise<Set<string>> {
    return new Set(hashes.filter((hash) => this.contents.has(hash)));
  }

  /** Stores content under a hash that has already been checked. */
  putUnderHash(hash: string, content: Uint8Array): void {
    if (!this.contents.has(hash)) this.contents.set(hash, Buffer.from(content));
  }
}
