import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Mirror } from './mirror.js';
import { sha256, StagedWorkspace } from './staged-workspace.js';
import { InvalidPath, normalisePath } from './workspace-path.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const NO_BLOBS = { get: async () => undefined };

describe('a new file name', () => {
  it.each([
    ['zero-width space', 'a\u200bb.md', 'U+200B'],
    ['zero-width joiner', 'a\u200db.md', 'U+200D'],
    ['byte order mark', '\ufeffa.md', 'U+FEFF'],
    ['right-to-left override', 'invoice\u202efdp.exe', 'U+202E'],
    ['isolate', 'a/\u2066b.md', 'U+2066'],
    ['soft hyphen', 'a\u00adb.md', 'U+00AD'],
    ['filler', 'a\u3164.md', 'U+3164'],
  ])('must not contain a %s, and the error names it', (_, path, code) => {
    const refusal = expect(() => new StagedWorkspace({}, NO_BLOBS).stage([{ path, content: bytes('x') }], new Date(0)));
    refusal.toThrow(InvalidPath);
    refusal.toThrow(code);
  });

  it('is normalised: two spellings that look alike are one file', async () => {
    const workspace = new StagedWorkspace({}, NO_BLOBS);
    workspace.stage([{ path: 'Pru\u0308fung.md', content: bytes('x') }], new Date(0));
    expect(Object.keys(workspace.tree)).toEqual(['Pr\u00fcfung.md']);
    expect(await workspace.read('Pru\u0308fung.md')).toEqual(bytes('x'));
  });

  it('is checked only for new files: an existing file with such a name can be changed and deleted', () => {
    const path = 'a\u200bb.md';
    const workspace = new StagedWorkspace(
      { [path]: { hash: sha256(bytes('x')), size: 1, writtenAt: '2026-01-01T00:00:00.000Z' } },
      NO_BLOBS,
    );
    workspace.stage([{ path, content: bytes('y') }], new Date(0));
    expect(workspace.tree[path]?.hash).toBe(sha256(bytes('y')));
    workspace.stage([{ path, deleted: true }], new Date(0));
    expect(workspace.tree).toEqual({});
  });
});

describe('workspacePath', () => {
  it.each([
    ['a/b.txt', 'a/b.txt'],
    ['./a//b.txt/', 'a/b.txt'],
    ['a/./b', 'a/b'],
    ['..a/b..', '..a/b..'],
  ])('normalises %s to %s', (path, clean) => {
    expect(normalisePath(path)).toBe(clean);
  });

  it.each([
    '',
    ' ',
    '.',
    '/',
    '/etc/passwd',
    '../x',
    'a/../../x',
    'a/..',
    'C:/x',
    './ ',
    'a/ /b',
    'a\\b',
    'a\0b',
    'a\nb',
    '\ud800',
    'x'.repeat(501),
    'x'.repeat(201),
  ])('rejects %j', (path) => {
    expect(() => normalisePath(path)).toThrow(InvalidPath);
  });

  it('returns only paths that stay below the folder they are joined to', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('.', '/', 'a', '\\', '\0', ':', ' ') }), (path) => {
        let clean: string;
        try {
          clean = normalisePath(path);
        } catch {
          return;
        }
        expect(join('/root/job', clean).startsWith('/root/job/')).toBe(true);
        expect(normalisePath(clean)).toBe(clean);
      }),
    );
  });
});

describe('StagedWorkspace', () => {
  it('shows staged changes immediately and returns what to commit', async () => {
    const workspace = new StagedWorkspace(
      { 'old.txt': { hash: 'b'.repeat(64), size: 1, writtenAt: '2026-01-01T00:00:00.000Z' } },
      NO_BLOBS,
    );
    const { facts, blobs } = workspace.stage(
      [
        { path: 'a.txt', content: bytes('hi') },
        { path: 'old.txt', deleted: true },
      ],
      new Date(0),
      'call_1',
    );
    expect(facts).toEqual([
      {
        type: 'FileWritten',
        data: {
          path: 'a.txt',
          hash: sha256(bytes('hi')),
          size: 2,
          writtenAt: new Date(0).toISOString(),
          callId: 'call_1',
        },
      },
      { type: 'FileDeleted', data: { path: 'old.txt', callId: 'call_1' } },
    ]);
    expect(blobs.map((blob) => blob.hash)).toEqual([sha256(bytes('hi'))]);
    expect(await workspace.read('a.txt')).toEqual(bytes('hi'));
    expect(Object.keys(workspace.tree)).toEqual(['a.txt']);
  });

  it('records nothing for a write of the same content', () => {
    const workspace = new StagedWorkspace({}, NO_BLOBS);
    workspace.stage([{ path: 'a.txt', content: bytes('hi') }], new Date(0));
    expect(
      workspace.stage(
        [
          { path: './a.txt', content: bytes('hi') },
          { path: 'gone', deleted: true },
        ],
        new Date(0),
      ),
    ).toEqual({ facts: [], blobs: [] });
  });

  it('stages nothing if one of the changes is rejected', () => {
    const workspace = new StagedWorkspace({}, NO_BLOBS);
    const changes = [
      { path: 'good.txt', content: bytes('x') },
      { path: '../bad.txt', content: bytes('x') },
    ];
    expect(() => workspace.stage(changes, new Date(0))).toThrow(InvalidPath);
    expect(workspace.tree).toEqual({});
  });

  it('throws if the content of a file is missing from the database', async () => {
    const workspace = new StagedWorkspace(
      { 'a.txt': { hash: 'a'.repeat(64), size: 1, writtenAt: '2026-01-01T00:00:00.000Z' } },
      NO_BLOBS,
    );
    await expect(workspace.read('a.txt')).rejects.toMatchObject({ code: 'blob_missing' });
  });
});

describe('Mirror', () => {
  const job = '01890000-0000-7000-8000-000000000001';

  it('writes and removes files in the folder of the job', async () => {
    const root = await mkdtemp(join(tmpdir(), 'mirror-'));
    const mirror = new Mirror(root);
    await mirror.write(job, 'output/a.txt', bytes('one'));
    await mirror.write(job, 'output/a.txt', bytes('2'));
    expect(await readFile(join(root, `job_${job}`, 'output/a.txt'), 'utf8')).toBe('2');
    await mirror.remove(job, 'output/a.txt');
    await mirror.remove(job, 'output/a.txt');
    await mirror.write(job, 'output', bytes('now a file'));
    expect(await readFile(join(root, `job_${job}`, 'output'), 'utf8')).toBe('now a file');
  });

  it('never follows a symbolic link, neither as a file nor as a folder', async () => {
    const root = await mkdtemp(join(tmpdir(), 'mirror-'));
    const outside = await mkdtemp(join(tmpdir(), 'outside-'));
    await writeFile(join(outside, 'precious'), 'untouched');
    const mirror = new Mirror(root);
    await mirror.write(job, 'seed', bytes(''));
    await symlink(join(outside, 'precious'), join(root, `job_${job}`, 'file'));
    await symlink(outside, join(root, `job_${job}`, 'folder'));
    await expect(mirror.write(job, 'file', bytes('x'))).rejects.toMatchObject({
      code: 'mirror_failed',
      message: expect.stringContaining('safe in the database'),
    });
    await expect(mirror.write(job, 'folder/precious', bytes('x'))).rejects.toMatchObject({ code: 'mirror_failed' });
    expect(await readFile(join(outside, 'precious'), 'utf8')).toBe('untouched');
  });

  it('throws MirrorFailed if the disk is full', async () => {
    const mirror = new Mirror('/dev/full/root');
    await expect(mirror.write(job, 'a', bytes('x'))).rejects.toMatchObject({ code: 'mirror_failed' });
  });
});
