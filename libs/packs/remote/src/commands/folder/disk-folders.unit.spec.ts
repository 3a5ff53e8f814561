import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StagedWorkspace } from '@phaseline/workspace';
import { Sandbox } from '@phaseline/sandbox';
import { getTypescriptArguments } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../commands-bench.fixture.js';
import { DiskFolders, type FolderNeed } from './disk-folders.js';
import { buildFolderRequest, createLog } from './folder-request.fixture.js';
import type { OpenFolder, TakenIn } from './kept-folder.js';

/** Returns the files of a folder with their text; links as `-> target`. */
async function readAll(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const texts = files.map(async (entry): Promise<[string, string]> => {
    const place = join(entry.parentPath, entry.name);
    const text = entry.isSymbolicLink() ? `-> ${await readlink(place)}` : await readFile(place, 'utf8');
    return [place.slice(folder.length + 1), text];
  });
  return Object.fromEntries(await Promise.all(texts));
}

type Command = (folder: string, opened: OpenFolder) => Promise<unknown>;

/** Runs a command and records what it changed. */
async function runAndRecord(
  folders: DiskFolders,
  log: StagedWorkspace,
  command: Command,
  changes: Parameters<typeof buildFolderRequest>[1] = {},
): Promise<TakenIn & Pick<OpenFolder, 'outside' | 'restored'>> {
  return folders.use(buildFolderRequest(log, changes), async (opened) => {
    await command(opened.folder, opened);
    const taken = await opened.takeIn();
    log.stage([...opened.outside, ...taken.files], new Date(0));
    return { ...taken, outside: opened.outside, restored: opened.restored };
  });
}

const ENCRYPTED_JOB = '00000000-0000-8000-8000-000000000000';
const nothing: Command = () => Promise.resolve();

describe('the folder of a phase', () => {
  it('takes in exactly what a command changed, with modes and links, and keeps caches and unchanged files in place', async () => {
    const folders = new DiskFolders(makeTemporaryFolder());
    const log = createLog({ 'a.txt': 'one', 'gone.txt': 'x', 'same.txt': 'same' });
    const taken = await runAndRecord(folders, log, async (folder) => {
      await writeFile(join(folder, 'a.txt'), 'two');
      await rm(join(folder, 'gone.txt'));
      await utimes(join(folder, 'same.txt'), 1, 1);
      await writeFile(join(folder, 'run.sh'), 'echo', { mode: 0o755 });
      await symlink('a.txt', join(folder, 'link'));
      await mkdir(join(folder, 'node_modules/left-pad'), { recursive: true });
      await writeFile(join(folder, 'node_modules/left-pad/index.js'), 'cached');
      await mkdir(join(folder, '.git/objects/ab'), { recursive: true });
      await writeFile(join(folder, '.git/objects/ab/cd'), 'object', { mode: 0o444 });
    });
    expect(
      taken.files.map((change) => [change.path, 'deleted' in change ? 'deleted' : change.mode]).toSorted(),
    ).toEqual([
      ['.git/objects/ab/cd', 'plain'],
      ['a.txt', 'plain'],
      ['gone.txt', 'deleted'],
      ['link', 'link'],
      ['run.sh', 'executable'],
    ]);
    let inode = 0;
    await runAndRecord(folders, log, async (folder) => {
      inode = (await lstat(join(folder, 'same.txt'))).ino;
      expect(await readAll(folder)).toMatchObject({ 'node_modules/left-pad/index.js': 'cached', 'a.txt': 'two' });
    });
    const again = await runAndRecord(folders, log, async (folder) =>
      expect((await lstat(join(folder, 'same.txt'))).ino).toBe(inode),
    );
    expect(again).toEqual({ files: [], rejected: [], outside: [], restored: [], isComplete: true });
  });

  it('is built from the log on another machine, with the modes and links of the files', async () => {
    const log = createLog({ 'a.txt': 'one' });
    await runAndRecord(new DiskFolders(makeTemporaryFolder()), log, async (folder) => {
      await writeFile(join(folder, 'run.sh'), 'echo', { mode: 0o755 });
      await mkdir(join(folder, 'deep'));
      await symlink('../a.txt', join(folder, 'deep/link'));
    });
    await runAndRecord(new DiskFolders(makeTemporaryFolder()), log, async (folder) => {
      expect(await readAll(folder)).toEqual({ 'a.txt': 'one', 'run.sh': 'echo', 'deep/link': '-> ../a.txt' });
      expect((await lstat(join(folder, 'run.sh'))).mode & 0o100).toBe(0o100);
      expect((await lstat(join(folder, 'a.txt'))).mode & 0o111).toBe(0);
    });
  });

  it('notices a change that keeps size and modification time, and a change of the mode alone', async () => {
    const folders = new DiskFolders(makeTemporaryFolder());
    const log = createLog({ 'a.txt': 'abc', 'b.sh': 'x' });
    // A whole second, because setting the time back loses nanoseconds.
    await runAndRecord(folders, log, (folder) => utimes(join(folder, 'a.txt'), 1, 1));
    const taken = await runAndRecord(folders, log, async (folder) => {
      await writeFile(join(folder, 'a.txt'), 'xyz');
      await utimes(join(folder, 'a.txt'), 1, 1);
      await chmod(join(folder, 'b.sh'), 0o755);
    });
    expect(taken.files.map(({ path }) => path).toSorted()).toEqual(['a.txt', 'b.sh']);
    expect(log.tree['b.sh']).toMatchObject({ mode: 'executable' });
  });

  it('writes, reads and hashes only the files that changed', async () => {
    const folders = new DiskFolders(makeTemporaryFolder());
    const names = Array.from({ length: 300 }, (_, index) => `f${index % 7}/${index}.txt`);
    const log = createLog(Object.fromEntries(names.map((name) => [name, name])));
    let opened: OpenFolder | undefined;
    const run = (command: Command): Promise<TakenIn> =>
      runAndRecord(folders, log, (folder, found) => {
        opened = found;
        return command(folder, found);
      });
    await run(nothing);
    // Each file is checked once more after the command.
    expect(opened!.work).toEqual({ scanned: 300, read: 0, readBytes: 0, written: 300 });
    await run(nothing);
    expect(opened!.work).toEqual({ scanned: 600, read: 0, readBytes: 0, written: 0 });
    await run(async (folder) => {
      await writeFile(join(folder, 'f1/1.txt'), 'other');
      await utimes(join(folder, 'f2/2.txt'), 1, 1);
    });
    expect(opened!.work).toEqual({ scanned: 600, read: 2, readBytes: 5 + 'f2/2.txt'.length, written: 0 });
    log.stage([{ path: 'f3/3.txt', content: Buffer.from('of another tool') }], new Date(0));
    await run(nothing);
    expect(opened!.work).toEqual({ scanned: 600, read: 0, readBytes: 0, written: 1 });
  });

  it('contains a change of the log since the last command, and nothing that the log lost', async () => {
    const folders = new DiskFolders(makeTemporaryFolder());
    const log = createLog({ 'a.txt': 'one', 'b.txt': 'two' });
    // Taken in, but never recorded: another process recorded the end of the call.
    await folders.use(buildFolderRequest(log), async ({ folder, takeIn }) => {
      await writeFile(join(folder, 'never.txt'), 'recorded');
      await writeFile(join(folder, 'a.txt'), 'never recorded');
      return takeIn();
    });
    log.stage([{ path: 'b.txt', content: Buffer.from('by the agent') }], new Date(0));
    await runAndRecord(folders, log, async (folder) =>
      expect(await readAll(folder)).toEqual({ 'a.txt': 'one', 'b.txt': 'by the agent' }),
    );
  });

  it('keeps neither what it rejects nor what exceeds the limits', async () => {
    const folders = new DiskFolders(makeTemporaryFolder());
    const log = createLog({ 'a.txt': 'one', 'archive/1.md': 'true' });
    const rejected = await runAndRecord(folders, log, async (folder) => {
      await writeFile(join(folder, 'archive/1.md'), 'forged');
      await symlink('/etc/passwd', join(folder, 'absolute'));
      await mkdir(join(folder, 'deep'));
      await symlink('..', join(folder, 'deep/up'));
      await symlink('deep/up/..', join(folder, 'out'));
    });
    expect(rejected.rejected.toSorted()).toMatchObject([
      expect.stringMatching(/^"absolute": .* outside the workspace/),
      expect.stringMatching(/^"archive\/1.md": archive\/ is managed/),
      expect.stringMatching(/^"out": .* outside the workspace/),
    ]);
    const beyond = await runAndRecord(
      folders,
      log,
      async (folder) => {
        expect(await readAll(folder)).toEqual({ 'a.txt': 'one', 'archive/1.md': 'true', 'deep/up': '-> ..' });
        for (let at = 0; at < 5; at += 1) await writeFile(join(folder, `${at}.txt`), 'x');
      },
      { limits: { maxChangedFiles: 4 } },
    );
    expect(beyond).toMatchObject({ files: [], rejected: [expect.stringContaining('no changes were stored')] });
    await runAndRecord(folders, log, async (folder) => expect(await readdir(folder)).not.toContain('0.txt'));
  });

  it('is used by one call at a time', async () => {
    const folders = new DiskFolders(makeTemporaryFolder());
    const log = createLog({});
    let running = 0;
    let maxRunning = 0;
    const command: Command = async () => {
      maxRunning = Math.max(maxRunning, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
    };
    await Promise.all([1, 2, 3].map(() => runAndRecord(folders, log, command)));
    expect(maxRunning).toBe(1);
  });

  it('passes its caches on to the next phase, but neither its /tmp nor its home', async () => {
    const root = makeTemporaryFolder();
    const folders = new DiskFolders(root);
    const log = createLog({ 'a.txt': 'one' });
    await runAndRecord(folders, log, async (folder, { tmp, home }) => {
      await mkdir(join(folder, 'node_modules'));
      for (const place of [join(folder, 'node_modules/x'), join(tmp, 'x'), join(home, 'x')])
        await writeFile(place, 'x');
    });
    await runAndRecord(folders, log, async (_, { tmp, home }) => {
      expect(await readdir(tmp)).toEqual(['x']);
      expect(await readdir(home)).toEqual([]);
    });
    await runAndRecord(
      folders,
      log,
      async (folder, { tmp, home }) => {
        expect(await readAll(folder)).toEqual({ 'a.txt': 'one', 'node_modules/x': 'x' });
        expect([await readdir(tmp), await readdir(home)]).toEqual([[], []]);
      },
      { phase: 2 },
    );
    expect(await readdir(join(root, 'job'))).toEqual(['phase-2']);
  });

  it('does not outlive the command of an encrypted job, nor an ended job', async () => {
    const root = makeTemporaryFolder();
    const folders = new DiskFolders(root);
    await runAndRecord(folders, createLog({ 'a.txt': 'secret' }), nothing, { jobId: ENCRYPTED_JOB });
    await runAndRecord(folders, createLog({}), nothing, { jobId: 'open' });
    await runAndRecord(folders, createLog({}), nothing, { jobId: 'ended' });
    expect((await readdir(root)).toSorted()).toEqual(['ended', 'open']);
    await runAndRecord(folders, createLog({}), nothing, { jobId: 'of-another-log' });
    const readNeed = (jobId: string): Promise<FolderNeed> =>
      Promise.resolve(jobId === 'open' ? { phase: 1 } : jobId === 'ended' ? 'ended' : 'unknown');
    expect(await folders.sweep({ readNeed, keepMs: 0, now: Date.now() })).toEqual({ jobs: 1, phases: 0 });
    expect((await readdir(root)).toSorted()).toEqual(['of-another-log', 'open']);
    expect((await lstat(join(root, 'open'))).mode & 0o077).toBe(0);
  });
});

describe('the folders of ended phases', () => {
  const HOUR_MS = 3_600_000;
  const inPhase = (phase: number) => (): Promise<FolderNeed> => Promise.resolve({ phase });

  it('lose /tmp and home at once, caches after the time, and the folder of the running phase is kept', async () => {
    const root = makeTemporaryFolder();
    const folders = new DiskFolders(root);
    await runAndRecord(folders, createLog({ 'a.txt': 'one' }), async (folder, { tmp }) => {
      await mkdir(join(folder, 'node_modules'));
      await writeFile(join(folder, 'node_modules/x'), 'x');
      await writeFile(join(tmp, 'x'), 'x');
    });
    const phase1 = join(root, 'job/phase-1');
    const sweep = (phase: number, afterMs: number) =>
      folders.sweep({ readNeed: inPhase(phase), keepMs: HOUR_MS, now: Date.now() + afterMs });
    expect(await sweep(1, 9 * HOUR_MS)).toEqual({ jobs: 0, phases: 0 });
    expect((await readdir(phase1)).toSorted()).toEqual(['home', 'manifest.json', 'tmp', 'workspace']);
    expect(await sweep(2, 0)).toEqual({ jobs: 0, phases: 0 });
    expect((await readdir(phase1)).toSorted()).toEqual(['manifest.json', 'workspace']);
    expect(await readdir(join(phase1, 'workspace/node_modules'))).toEqual(['x']);
    expect(await sweep(2, 2 * HOUR_MS)).toEqual({ jobs: 0, phases: 1 });
    expect(await readdir(join(root, 'job'))).toEqual([]);
    // The next command of the job finds the files of the log.
    await runAndRecord(
      folders,
      createLog({ 'a.txt': 'one' }),
      async (folder) => expect(await readAll(folder)).toEqual({ 'a.txt': 'one' }),
      { phase: 2 },
    );
  });

  it('are removed after the command that still runs in one', async () => {
    const root = makeTemporaryFolder();
    const folders = new DiskFolders(root);
    let sweeping: Promise<unknown> = Promise.resolve();
    await runAndRecord(folders, createLog({ 'a.txt': 'one' }), async (folder) => {
      sweeping = folders.sweep({ readNeed: () => Promise.resolve('ended'), keepMs: 0, now: Date.now() });
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await readAll(folder)).toEqual({ 'a.txt': 'one' });
    });
    await sweeping;
    expect(await readdir(root)).toEqual([]);
  });

  it('never lead out of the folder of the service', async () => {
    const outside = makeTemporaryFolder();
    await writeFile(join(outside, 'precious'), 'x');
    const root = makeTemporaryFolder();
    const folders = new DiskFolders(root);
    await symlink(outside, join(root, 'linked-job'));
    await mkdir(join(root, 'job'));
    await symlink(outside, join(root, 'job/phase-1'));
    await mkdir(join(root, 'ended/phase-1'), { recursive: true });
    await symlink(outside, join(root, 'ended/phase-1/tmp'));
    const readNeed = (jobId: string): Promise<FolderNeed> => Promise.resolve(jobId === 'job' ? { phase: 5 } : 'ended');
    expect(await folders.sweep({ readNeed, keepMs: 0, now: Date.now() + HOUR_MS })).toEqual({ jobs: 1, phases: 0 });
    expect((await readdir(root)).toSorted()).toEqual(['job', 'linked-job']);
    expect(await readdir(outside)).toEqual(['precious']);
  });
});

describe.runIf(process.getuid?.() === 0)('the folder of commands that run as another user than the service', () => {
  it.each([
    { mapsIds: true, mode: 'bubblewrap', onDisk: 0 },
    { mapsIds: true, mode: 'unshare', onDisk: 0 },
    { mapsIds: false, mode: 'auto', onDisk: 65534 },
  ] as const)('is not read again after each command ($mode, ids are mapped: $mapsIds)', async (one) => {
    const root = makeTemporaryFolder();
    const folders = new DiskFolders(root);
    const sandbox = new Sandbox({ mode: one.mode, limitedBy: 'rlimits', mapsIds: one.mapsIds });
    const owner = await sandbox.getOwner();
    expect(owner ?? 0).toBe(one.onDisk);
    const log = createLog({ 'a.txt': 'one', 'sub/b.txt': 'two' });
    const limits = {
      timeoutMs: 60_000,
      maxMemoryBytes: 2 ** 30,
      maxProcesses: 10,
      maxFileBytes: 2 ** 20,
      maxDiskBytes: 2 ** 30,
    };
    for (const script of ['true', 'echo three > sub/c.txt', 'true']) {
      let opened: OpenFolder | undefined;
      const taken = await runAndRecord(
        folders,
        log,
        async (_folder, found) => {
          opened = found;
          const command = { file: '/bin/sh', args: ['-c', script], env: {}, folders: found, limits };
          const end = await sandbox.run(command, { maxOutputBytes: 1_000 }, new AbortController().signal);
          expect(end).toMatchObject({ exitCode: 0 });
        },
        { owner },
      );
      expect(taken.files.map(({ path }) => path)).toEqual(script === 'true' ? [] : ['sub/c.txt']);
      expect(opened!.work.read).toBe(taken.files.length);
    }
    for (const path of ['a.txt', 'sub/b.txt', 'sub/c.txt'])
      expect((await lstat(join(root, 'job/phase-1/workspace', path))).uid, path).toBe(one.onDisk);
  });
});

describe('a change that no command made', () => {
  async function editOutside(outsideEdits: 'take' | 'refuse') {
    const root = makeTemporaryFolder();
    const folders = new DiskFolders(root);
    const log = createLog({ 'a.txt': 'one', 'b.txt': 'two' });
    const settings = { outsideEdits };
    await runAndRecord(folders, log, nothing, { settings });
    const folder = join(root, 'job/phase-1/workspace');
    await writeFile(join(folder, 'a.txt'), 'edited');
    await writeFile(join(folder, 'new.txt'), 'new');
    await rm(join(folder, 'b.txt'));
    let seen: Record<string, string> = {};
    const result = await runAndRecord(folders, log, async (place) => void (seen = await readAll(place)), { settings });
    return { ...result, seen, log };
  }

  it('is taken in and marked', async () => {
    const { outside, restored, files, seen, log } = await editOutside('take');
    expect(outside.map(({ path, origin }) => [path, origin]).toSorted()).toEqual([
      ['a.txt', 'outside'],
      ['b.txt', 'outside'],
      ['new.txt', 'outside'],
    ]);
    expect([restored, files]).toEqual([[], []]);
    expect(seen).toEqual({ 'a.txt': 'edited', 'new.txt': 'new' });
    expect(Object.keys(log.tree).toSorted()).toEqual(['a.txt', 'new.txt']);
  });

  it('cannot happen to an encrypted job, whose folder exists only while a command runs', async () => {
    const root = makeTemporaryFolder();
    const folders = new DiskFolders(root);
    const log = createLog({ 'a.txt': 'one' });
    const request = { jobId: ENCRYPTED_JOB, settings: { outsideEdits: 'take' } } as const;
    let used = '';
    await runAndRecord(folders, log, (folder) => Promise.resolve((used = folder)), request);
    // A program writes to the place where it was.
    await mkdir(used, { recursive: true });
    await writeFile(join(used, 'a.txt'), 'forged');
    await writeFile(join(used, 'planted.txt'), 'forged');
    const taken = await runAndRecord(
      folders,
      log,
      async (folder) => expect(await readAll(folder)).toEqual({ 'a.txt': 'one' }),
      request,
    );
    expect(taken).toMatchObject({ files: [], outside: [], restored: [] });
    expect(await readdir(root)).toEqual([]);
  });

  it('is restored and reported, where the settings refuse it', async () => {
    const { outside, restored, files, seen } = await editOutside('refuse');
    expect([outside, files]).toEqual([[], []]);
    expect(restored.toSorted()).toEqual(['a.txt', 'b.txt', 'new.txt']);
    expect(seen).toEqual({ 'a.txt': 'one', 'b.txt': 'two' });
  });
});

describe('after SIGKILL', () => {
  it.each(['build', 'command', 'taken-in', 'after'])(
    'at the moment "%s" the next command sees exactly the files of the log',
    { timeout: 120_000 },
    async (moment) => {
      const root = makeTemporaryFolder();
      const fixture = new URL('./folder-victim.fixture.ts', import.meta.url);
      const victim = spawn(process.execPath, getTypescriptArguments(fixture, root, moment), {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(victim.stdout, 'data');
      victim.kill('SIGKILL');
      await once(victim, 'close');
      const log = createLog({ 'a.txt': 'one', 'b.txt': 'two' });
      const settings = { outsideEdits: 'take' } as const;
      const taken = await runAndRecord(
        new DiskFolders(root),
        log,
        async (folder) => expect(await readAll(folder)).toEqual({ 'a.txt': 'one', 'b.txt': 'two' }),
        { settings },
      );
      expect(taken).toMatchObject({ files: [], rejected: [], outside: [], restored: [] });
    },
  );

  it('a manifest that cannot be read is not trusted', async () => {
    const root = makeTemporaryFolder();
    const log = createLog({ 'a.txt': 'one' });
    await runAndRecord(new DiskFolders(root), log, nothing);
    const base = join(root, 'job/phase-1');
    await writeFile(join(base, 'workspace/a.txt'), 'x');
    const manifest = await readFile(join(base, 'manifest.json'), 'utf8');
    await writeFile(join(base, 'manifest.json'), manifest.slice(0, -5));
    await runAndRecord(new DiskFolders(root), log, async (folder) =>
      expect(await readAll(folder)).toEqual({ 'a.txt': 'one' }),
    );
  });
});
