import { describe, expect, it } from 'vitest';
import { CachedBlobs } from './cached-blobs.js';

/** A source whose contents are parts of larger pieces of memory, as those of a database client are. Counts what is read. */
function createSource(bytes: number) {
  const reads: string[] = [];
  const get = async (hash: string): Promise<Uint8Array> => {
    reads.push(hash);
    return new Uint8Array(new ArrayBuffer(8_192), 16, bytes).fill(Number(hash));
  };
  return { reads, blobs: { get } };
}

describe('CachedBlobs', () => {
  it('keeps no more memory than that of the content', async () => {
    const { reads, blobs } = createSource(100);
    const cached = new CachedBlobs(blobs);
    const first = (await cached.get('7'))!;
    expect(await cached.get('7')).toBe(first);
    expect(reads).toEqual(['7']);
    expect(first).toEqual(new Uint8Array(100).fill(7));
    expect(first.buffer.byteLength).toBe(100);
  });

  it('counts what an entry takes besides its content, so that many small contents stay within the limit', async () => {
    const { reads, blobs } = createSource(1);
    const cached = new CachedBlobs(blobs, 100_000);
    for (let hash = 0; hash < 1_000; hash += 1) await cached.get(String(hash));
    reads.length = 0;
    for (let hash = 999; hash >= 0; hash -= 1) await cached.get(String(hash));
    expect(1_000 - reads.length).toBeGreaterThan(100);
    expect(1_000 - reads.length).toBeLessThan(250);
  });
});
