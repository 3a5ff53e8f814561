import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CachedBlobs } from './cached-blobs.js';
import { Mirror, MirrorFailed } from './mirror.js';
import { StagedWorkspace } from './staged-workspace.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'phaseline-mirror-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function* parts(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const list: Uint8Array[] = [];
  for await (const chunk of chunks) list.push(chunk);
  return list;
}

describe('the mirror', () => {
  it('writes a file from a stream, replacing a longer one', async () => {
    const mirror = new Mirror(root);
    await mirror.write('j', 'output/a.txt', new TextEncoder().encode('what was there before'));
    await mirror.write('j', 'output/a.txt', parts('one ', 'two'));
    expect(await readFile(join(root, 'job_j', 'output', 'a.txt'), 'utf8')).toBe('one two');
  });

  it('throws MirrorFailed if the stream breaks', async () => {
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield* parts('half');
      throw new Error('the database went away');
    };
    await expect(new Mirror(root).write('j', 'a.txt', broken())).rejects.toThrow(MirrorFailed);
  });
});

describe('a file that is only in the blob store', () => {
  const hash = 'ab'.repeat(32);
  const content = new TextEncoder().encode('0123456789');
  const source = {
    get: async () => Promise.reject(new Error('the whole was read')),
    read: async (_hash: string, { offset, length }: { offset: number; length: number }) =>
      content.subarray(offset, offset + length),
    stream: () => parts('0123', '456789'),
  };

  it('is staged by its hash, without reading it', async () => {
    const workspace = new StagedWorkspace({}, source);
    const { facts, blobs } = workspace.stage(
      [{ path: 'documents/a.bin', stored: { hash, size: 10 } }],
      new Date(0),
      'call',
    );
    expect(facts).toEqual([
      {
        type: 'FileWritten',
        data: { path: 'documents/a.bin', hash, size: 10, writtenAt: '1970-01-01T00:00:00.000Z', callId: 'call' },
      },
    ]);
    expect(blobs).toEqual([]);
    expect(await workspace.readRange('documents/a.bin', { offset: 3, length: 4 })).toEqual(content.subarray(3, 7));
    expect(await workspace.readRange('documents/b.bin', { offset: 0, length: 1 })).toBeUndefined();
    expect(() => workspace.stage([{ path: 'documents', stored: { hash, size: 10 } }], new Date(0))).toThrow(
      /is a folder/,
    );
  });

  it('is read through the cache in ranges and as a stream, and from the cache once it is there', async () => {
    const cache = new CachedBlobs(source);
    expect(await cache.read(hash, { offset: 8, length: 5 })).toEqual(content.subarray(8));
    expect(await readAll(cache.stream(hash))).toHaveLength(2);
    const warm = new CachedBlobs({ get: async () => content });
    expect(await warm.read(hash, { offset: 1, length: 2 })).toEqual(content.subarray(1, 3));
    expect(await readAll(warm.stream(hash))).toEqual([content]);
  });
});
