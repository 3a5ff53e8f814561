import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { RepositoryFolders } from './mirrors.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
const KEEP_MS = 30 * DAY_MS;

let root: string;
let folders: RepositoryFolders;
beforeEach(() => {
  root = makeFolder();
  folders = new RepositoryFolders(root);
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mirrors-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const listMirrors = (): readonly string[] => readdirSync(join(root, 'mirrors'));

/** Uses the mirror of a source, which gets one file when it is created. Returns its files. */
function use(source: string, work: (folder: string) => Promise<unknown> = async () => undefined) {
  const create = async (folder: string): Promise<void> => writeFileSync(join(folder, 'HEAD'), source);
  return folders.useMirror({ tenant: 'default', source }, create, async (folder) => {
    await work(folder);
    return readdirSync(folder);
  });
}

function age(folder: string, days: number): void {
  const then = new Date(Date.now() - days * DAY_MS);
  utimesSync(folder, then, then);
}

it('a mirror that was not used for the time is removed, and made again when it is needed', async () => {
  await use('one');
  await use('two');
  const [first] = listMirrors();
  age(join(root, 'mirrors', first!), 31);
  expect(await folders.sweepMirrors(Date.now(), KEEP_MS)).toBe(1);
  expect(listMirrors()).toHaveLength(1);
  expect(await folders.sweepMirrors(Date.now(), KEEP_MS)).toBe(0);
  expect([await use('one'), await use('two')]).toEqual([['HEAD'], ['HEAD']]);
  expect(listMirrors()).toHaveLength(2);
});

it('using a mirror, not only creating it, keeps it', async () => {
  await use('one');
  age(join(root, 'mirrors', listMirrors()[0]!), 31);
  await use('one');
  expect(await folders.sweepMirrors(Date.now(), KEEP_MS)).toBe(0);
});

it('a mirror that is in use is kept, however old it is', async () => {
  await use('one');
  age(join(root, 'mirrors', listMirrors()[0]!), 31);
  await use('one', async (folder) => {
    expect(await new RepositoryFolders(root).sweepMirrors(Date.now(), KEEP_MS)).toBe(0);
    expect(readdirSync(folder)).toEqual(['HEAD']);
  });
});

it('sweeps and uses at the same time disturb no use', async () => {
  for (let round = 0; round < 20; round += 1) {
    await use('one');
    age(join(root, 'mirrors', listMirrors()[0]!), 31);
    const sweeps = [1, 2].map(() => folders.sweepMirrors(Date.now(), KEEP_MS));
    const uses = [1, 2, 3].map(() => use('one'));
    expect(await Promise.all(uses)).toEqual([['HEAD'], ['HEAD'], ['HEAD']]);
    await Promise.all(sweeps);
    expect(listMirrors().filter((name) => name.endsWith('.git'))).toHaveLength(1);
  }
});

it('what killed processes left is removed after a day, and nothing outside of the folder', async () => {
  const outside = makeFolder();
  writeFileSync(join(outside, 'precious'), 'x');
  await use('one');
  const mirrors = join(root, 'mirrors');
  const name = 'a'.repeat(32);
  const uuid = '01890000-0000-7000-8000-000000000001';
  for (const left of [`${name}.${uuid}.new`, `${name}.${uuid}.old`, 'of-a-person']) {
    mkdirSync(join(mirrors, left));
    symlinkSync(outside, join(mirrors, left, 'link'));
    age(join(mirrors, left), 2);
  }
  symlinkSync(outside, join(mirrors, `${name}.git`));
  age(outside, 99);
  expect(await folders.sweepMirrors(Date.now(), DAY_MS)).toBe(0);
  expect(listMirrors().toSorted()).toEqual(
    [
      `${name}.git`,
      'of-a-person',
      ...listMirrors().filter((one) => /^[0-9a-f]{32}\.git$/.test(one) && !one.startsWith(name)),
    ].toSorted(),
  );
  expect(readdirSync(outside)).toEqual(['precious']);
  rmSync(mirrors, { recursive: true });
  symlinkSync(outside, mirrors);
  mkdirSync(join(outside, `${name}.git`));
  age(join(outside, `${name}.git`), 99);
  expect(await folders.sweepMirrors(Date.now(), DAY_MS)).toBe(0);
  expect(readdirSync(outside)).toContain(`${name}.git`);
});
