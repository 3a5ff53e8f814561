import { describe, expect, it, vi } from 'vitest';
import { CachedBlobs } from './cached-blobs.js';
import type { Tree } from './file-change.js';
import { BlobMissing, sha256, StagedWorkspace } from './staged-workspace.js';

const contents = new Map(['one', 'two', 'three'].map((text) => [sha256(Buffer.from(text)), Buffer.from(text)]));

function createTree(files: Readonly<Record<string, string>>): Tree {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path,
      { hash: sha256(Buffer.from(text)), size: text.length, writtenAt: '2026-01-01T00:00:00.000Z' },
    ]),
  );
}

function createSource() {
  return {
    get: vi.fn(async (hash: string) => contents.get(hash)),
    getAll: vi.fn(
      async (hashes: readonly string[]) => new Map([...contents].filter(([hash]) => hashes.includes(hash))),
    ),
  };
}

describe('StagedWorkspace.readAll', () => {
  it('reads each stored content once with one call, staged content from memory, and omits unknown paths', async () => {
    const source = createSource();
    const workspace = new StagedWorkspace(createTree({ a: 'one', b: 'one', 'c/d': 'two' }), source);
    workspace.stage([{ path: 'e', content: Buffer.from('new') }], new Date(0));
    const found = await workspace.readAll(['a', 'b', 'c/d', 'e', 'unknown']);
    expect([...found].map(([path, content]) => [path, Buffer.from(content).toString()])).toEqual([
      ['a', 'one'],
      ['b', 'one'],
      ['c/d', 'two'],
      ['e', 'new'],
    ]);
    expect(source.getAll.mock.calls).toEqual([[[sha256(Buffer.from('one')), sha256(Buffer.from('two'))]]]);
    expect(source.get).not.toHaveBeenCalled();
  });

  it('says which file is missing', async () => {
    const workspace = new StagedWorkspace(createTree({ a: 'one', lost: 'lost' }), createSource());
    await expect(workspace.readAll(['a', 'lost'])).rejects.toThrow(BlobMissing);
    await expect(workspace.readAll(['a', 'lost'])).rejects.toThrow('lost');
  });

  it('reads one after the other from a source that cannot do more', async () => {
    const { get } = createSource();
    const found = await new StagedWorkspace(createTree({ a: 'one', b: 'two' }), { get }).readAll(['a', 'b']);
    expect([...found.keys()]).toEqual(['a', 'b']);
    expect(get).toHaveBeenCalledTimes(2);
  });
});

describe('CachedBlobs.getAll', () => {
  it('asks its source only for what is not cached', async () => {
    const source = createSource();
    const cached = new CachedBlobs(source);
    const [one, two, three] = [...contents.keys()] as [string, string, string];
    await cached.get(one);
    expect([...(await cached.getAll([one, two, three])).keys()].toSorted()).toEqual([one, two, three].toSorted());
    expect(source.getAll.mock.calls).toEqual([[[two, three]]]);
    await cached.getAll([one]);
    expect(source.getAll).toHaveBeenCalledTimes(1);
  });
});
