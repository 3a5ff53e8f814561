import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkspaceFile } from '@phaseline/client';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContentMismatch, FilesExist, UnsafePath } from '../command/command-errors.js';
import { pullFiles, type PulledFile } from './pull-files.js';
import { splitSafePath } from './safe-path.js';

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'phaseline-pull-'));
  folder = join(root, 'into');
});
afterEach(() => rm(root, { recursive: true, force: true }));

function file(path: string, content: string): WorkspaceFile {
  const hash = createHash('sha256').update(content).digest('hex');
  return { path, size: Buffer.byteLength(content), hash, writtenAt: '2026-01-01T00:00:00.000Z' };
}

function pull(
  contents: Record<string, string>,
  options: { force?: boolean; served?: Record<string, string>; streamed?: boolean } = {},
): Promise<readonly PulledFile[]> {
  const served = options.served ?? contents;
  return pullFiles(
    Object.entries(contents).map(([path, content]) => file(path, content)),
    {
      folder,
      force: options.force ?? false,
      read: async (path) => {
        const content = new TextEncoder().encode(served[path]);
        return options.streamed ? new Blob([content]).stream() : content;
      },
    },
  );
}

describe('a path from the server', () => {
  it.each([
    ['../up'],
    ['a/../../up'],
    ['/etc/passwd'],
    ['a//b'],
    ['./a'],
    ['a/.'],
    [''],
    ['a\\b'],
    ['C:x'],
    ['a\0b'],
    ['a\nb'],
    ['\ud800'],
    ['a/'],
    ['..'],
  ])('is refused if it is %j', (path) => {
    expect(() => splitSafePath(path)).toThrow(UnsafePath);
  });

  it.each([['a.md'], ['output/requirements.json'], ['a b/ü.txt'], ['..a/b..'], ['...']])(
    'is accepted if it is %j',
    (path) => {
      expect(splitSafePath(path).join('/')).toBe(path);
    },
  );

  it('either stays below the folder or is refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', '\0', ':', '~', ' ') }), (path) => {
        let parts: readonly string[];
        try {
          parts = splitSafePath(path);
        } catch {
          return;
        }
        expect(join('/below', ...parts)).toBe(`/below/${path}`);
      }),
    );
  });
});

describe('pullFiles', () => {
  it('writes files and their folders, byte for byte', async () => {
    const pulled = await pull({ 'a.md': 'A', 'output/deep/b.json': '{}' });
    expect(pulled.map(({ outcome }) => outcome)).toEqual(['written', 'written']);
    expect(await readFile(join(folder, 'output/deep/b.json'), 'utf8')).toBe('{}');
  });

  it('writes nothing if one file would be overwritten', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'b.md'), 'mine');
    await expect(pull({ 'a.md': 'A', 'b.md': 'B' })).rejects.toThrow(FilesExist);
    expect(await readdir(folder)).toEqual(['b.md']);
    expect(await readFile(join(folder, 'b.md'), 'utf8')).toBe('mine');
  });

  it('leaves an identical file unchanged', async () => {
    await pull({ 'a.md': 'A' });
    expect((await pull({ 'a.md': 'A', 'b.md': 'B' })).map(({ outcome }) => outcome)).toEqual(['unchanged', 'written']);
  });

  it('replaces with force', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'a.md'), 'mine');
    expect((await pull({ 'a.md': 'A' }, { force: true }))[0]?.outcome).toBe('replaced');
    expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe('A');
  });

  it('writes nothing if one path is unsafe, not even the files before it', async () => {
    await expect(pull({ 'a.md': 'A', '../b.md': 'B' })).rejects.toThrow(UnsafePath);
    expect(await readdir(root)).toEqual([]);
  });

  it.each([[false], [true]])('does not write through a symbolic link to a folder (force: %s)', async (force) => {
    await mkdir(join(root, 'elsewhere'));
    await mkdir(folder);
    await symlink(join(root, 'elsewhere'), join(folder, 'output'));
    await expect(pull({ 'output/a.md': 'A' }, { force })).rejects.toThrow(UnsafePath);
    expect(await readdir(join(root, 'elsewhere'))).toEqual([]);
  });

  it('does not write through a symbolic link to a file', async () => {
    await writeFile(join(root, 'mine'), 'mine');
    await mkdir(folder);
    await symlink(join(root, 'mine'), join(folder, 'a.md'));
    await expect(pull({ 'a.md': 'A' })).rejects.toThrow(FilesExist);
    await pull({ 'a.md': 'A' }, { force: true });
    expect(await readFile(join(root, 'mine'), 'utf8')).toBe('mine');
    await expect(readlink(join(folder, 'a.md'))).rejects.toThrow();
  });

  it('does not write through a dangling symbolic link', async () => {
    await mkdir(folder);
    await symlink(join(root, 'made-by-link'), join(folder, 'a.md'));
    await expect(pull({ 'a.md': 'A' })).rejects.toThrow(FilesExist);
    expect(await readdir(root)).toEqual(['into']);
  });

  it('writes no file whose content does not match its hash', async () => {
    await expect(pull({ 'a.md': 'A' }, { served: { 'a.md': 'B' } })).rejects.toThrow(ContentMismatch);
    expect(await readdir(root)).toEqual([]);
  });

  it.each([[false], [true]])('accepts a stream, and replaces nothing before its end (force: %s)', async (force) => {
    await pull({ 'output/a.md': 'A' }, { streamed: true, force });
    expect(await readFile(join(folder, 'output', 'a.md'), 'utf8')).toBe('A');
    const wrong = { served: { 'output/a.md': 'C' }, streamed: true };
    await expect(pull({ 'output/a.md': 'B' }, { ...wrong, force: true })).rejects.toThrow(ContentMismatch);
    expect(await readFile(join(folder, 'output', 'a.md'), 'utf8')).toBe('A');
    await expect(pull({ 'output/a.md': 'B' }, { streamed: true })).rejects.toThrow(FilesExist);
    await pull({ 'output/a.md': 'B' }, { streamed: true, force: true });
    expect(await readFile(join(folder, 'output', 'a.md'), 'utf8')).toBe('B');
    expect(await readdir(join(folder, 'output'))).toEqual(['a.md']);
  });

  it('reports a file where a folder is needed', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'output'), 'mine');
    await expect(pull({ 'output/a.md': 'A' })).rejects.toThrow(/is a file where a folder is needed/);
  });
});
