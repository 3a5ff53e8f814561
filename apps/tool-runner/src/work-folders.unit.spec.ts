import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimFolder } from '@phaseline/workspace';
import { expect, it, onTestFinished } from 'vitest';
import { WorkFolders, type WorkFoldersOptions } from './work-folders.js';

function makeRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'work-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

function makeJob(process: string, jobId: string): void {
  mkdirSync(join(process, jobId, 'phase-1/workspace/node_modules'), { recursive: true });
  writeFileSync(join(process, jobId, 'phase-1/workspace/a.txt'), 'x');
}

function start(root: string) {
  const swept: Parameters<WorkFoldersOptions['onSwept']>[0][] = [];
  const work = new WorkFolders({
    root,
    keepMs: 0,
    readNeed: (jobId) => Promise.resolve(jobId === 'ended' ? 'ended' : { phase: 1 }),
    onSwept: (found) => void swept.push(found),
  });
  onTestFinished(() => work.close());
  return { work, swept };
}

it('folders of jobs that ended while no tool-runner ran are removed by the next start, and counted', async () => {
  const root = makeRoot();
  const [first, second] = [join(root, `${hostname()}-0`), join(root, `${hostname()}-1`)];
  for (const place of [first, second]) for (const jobId of ['ended', 'open']) makeJob(place, jobId);
  const { work, swept } = start(root);
  await work.sweep();
  expect([readdirSync(first), readdirSync(second)]).toEqual([['open'], ['open']]);
  expect(swept).toEqual([{ jobs: 2, phases: 0 }]);
  // The claims were released: the next process of this machine continues with the first folder.
  const claimed = await claimFolder(root);
  expect(claimed.folder).toBe(first);
  await claimed.release();
});

it('folders that another process uses, and those of other machines, are left alone', async () => {
  const root = makeRoot();
  const other = await claimFolder(root);
  onTestFinished(() => other.release());
  const elsewhere = join(root, 'another-machine-0');
  for (const place of [other.folder, elsewhere]) makeJob(place, 'ended');
  const { work, swept } = start(root);
  await work.sweep();
  expect([readdirSync(other.folder), readdirSync(elsewhere)]).toEqual([['ended'], ['ended']]);
  expect(swept).toEqual([]);
});

it('a failed sweep is reported, and the next one works', async () => {
  const root = makeRoot();
  makeJob(join(root, `${hostname()}-0`), 'ended');
  const swept: unknown[] = [];
  let isReachable = false;
  const work = new WorkFolders({
    root,
    keepMs: 0,
    readNeed: () => (isReachable ? Promise.resolve('ended') : Promise.reject(new Error('unreachable'))),
    onSwept: (found) => void swept.push(found),
  });
  onTestFinished(() => work.close());
  await work.sweep();
  expect(swept).toContainEqual({ error: new Error('unreachable') });
  isReachable = true;
  await work.sweep();
  expect(swept.at(-1)).toEqual({ jobs: 1, phases: 0 });
});
