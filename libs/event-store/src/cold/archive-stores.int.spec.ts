import { hash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { archiveName, type ArchiveStore } from './archive-store.js';
import { FolderArchives } from './folder-archives.js';
import { openColdStorage } from './open-cold-storage.js';

/** A place in a bucket, `s3://bucket/prefix`, with the AWS_… settings of its service. Without it, the bucket is skipped by name. */
const bucket = process.env.PHASELINE_TEST_S3;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archives-'));
});
afterAll(() => rm(folder, { recursive: true }));

const stores: readonly [string, boolean, () => ArchiveStore][] = [
  ['a folder', true, () => new FolderArchives(folder)],
  [
    'a bucket of an S3-compatible service (PHASELINE_TEST_S3)',
    bucket !== undefined,
    () => openColdStorage({ ...process.env, PHASELINE_COLD_STORAGE: bucket })!.archives,
  ],
];

describe.each(stores)('archives in %s', (_, isAvailable, open) => {
  const make = (bytes: number): { readonly name: string; readonly content: Buffer } => {
    const content = randomBytes(bytes);
    return { name: archiveName(randomUUID(), hash('sha256', content, 'hex')), content };
  };

  it.skipIf(!isAvailable)(
    'are read as they were stored, also by another process and after they were stored again',
    async () => {
      for (const bytes of [1, 3 * 1024 * 1024]) {
        const { name, content } = make(bytes);
        const store = open();
        expect(await store.get(name)).toBeUndefined();
        await Promise.all([store.put(name, content), store.put(name, content)]);
        await store.put(name, content);
        expect(Buffer.from((await open().get(name))!).equals(content)).toBe(true);
      }
    },
  );

  it.skipIf(!isAvailable)('have names that cannot leave the storage', async () => {
    const { name, content } = make(1);
    for (const bad of [`../${name}`, `/${name}`, name.replace('/', '/../'), `${name}?acl`, name.slice(0, -4), '']) {
      await expect(open().put(bad, content)).rejects.toThrow('is not the name of an archive');
      await expect(open().get(bad)).rejects.toThrow('is not the name of an archive');
    }
  });
});

it('a folder contains nothing but complete archives, also if the same one is stored concurrently', async () => {
  const content = randomBytes(1_000);
  const name = archiveName('job', hash('sha256', content, 'hex'));
  await Promise.all(Array.from({ length: 8 }, () => new FolderArchives(folder).put(name, content)));
  expect(await readdir(join(folder, 'job'))).toEqual([name.slice('job/'.length)]);
});

/** Records the paths of the files and folders that are flushed to the disk, until the test ends. */
async function recordSyncs(): Promise<string[]> {
  const handle = await open(folder);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const paths: string[] = [];
  const { sync } = prototype;
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(function (this: FileHandle) {
    paths.push(readlinkSync(`/proc/self/fd/${this.fd}`));
    return sync.call(this);
  });
  onTestFinished(() => spy.mockRestore());
  return paths;
}

it('an archive in a folder is on the disk when it is stored: the file before it has its name, then every folder that is new', async () => {
  const location = join(folder, 'new', 'cold');
  const store = new FolderArchives(location);
  const put = async (): Promise<string> => {
    const content = randomBytes(1_000);
    const name = archiveName('job', hash('sha256', content, 'hex'));
    await store.put(name, content);
    return join(location, name);
  };
  const synced = await recordSyncs();
  for (const folders of [
    ['new/cold/job', 'new/cold', 'new', '.'],
    ['new/cold/job', 'new/cold'],
  ]) {
    const path = await put();
    const [file, ...others] = synced.splice(0);
    expect(file).toMatch(/\.tmp$/);
    expect(file!.startsWith(path)).toBe(true);
    expect(others).toEqual(folders.map((name) => join(folder, name)));
    expect(await readdir(dirname(path))).not.toContain(file);
  }
});
