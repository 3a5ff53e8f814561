import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLocalHome, type StackState } from './local-home.js';

const state: StackState = {
  apiUrl: 'http://127.0.0.1:7400',
  ownerUrl: 'postgresql://o:p@127.0.0.1:1/phaseline',
  serviceUrl: 'postgresql://s:p@127.0.0.1:1/phaseline',
  queueBackend: 'postgres',
  services: { orchestrator: 'http://127.0.0.1:7400' },
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-spec-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('openLocalHome', () => {
  it('is PHASELINE_HOME, else .phaseline in the current folder', async () => {
    expect((await openLocalHome({ PHASELINE_HOME: join(folder, 'a/b') }, '/')).directory).toBe(join(folder, 'a/b'));
    expect((await openLocalHome({}, folder)).directory).toBe(join(folder, '.phaseline'));
    expect((await openLocalHome({ PHASELINE_HOME: '' }, folder)).directory).toBe(join(folder, '.phaseline'));
  });

  it('publishes the running stack in a file that other users cannot read', async () => {
    const home = await openLocalHome({}, folder);
    expect(await home.findRunning()).toBeUndefined();
    await home.announce(state);
    expect(await (await openLocalHome({}, folder)).findRunning()).toMatchObject(state);
    expect((await stat(join(home.directory, 'state.json'))).mode & 0o777).toBe(0o600);
    await home.retract();
    expect(await home.findRunning()).toBeUndefined();
  });

  it('ignores the state of a stack that was killed', async () => {
    const home = await openLocalHome({}, folder);
    await home.announce(state);
    const file = join(home.directory, 'state.json');
    const { pid } = spawnSync('true');
    const written = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...written, runBy: { pid } }));
    expect(await home.findRunning()).toBeUndefined();
    // The process id has been reused since.
    await writeFile(file, JSON.stringify({ ...written, runBy: { pid: process.pid, startedAt: '1' } }));
    expect(await home.findRunning()).toBeUndefined();
  });

  it('says what to do if the folder cannot be created', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(openLocalHome({ PHASELINE_HOME: join(folder, 'file/x') })).rejects.toMatchObject({
      code: 'home_unusable',
      message: expect.stringContaining('PHASELINE_HOME'),
    });
  });
});
