import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCgroups, nameCgroup, removeAbandonedCgroups } from './cgroup.js';

it('finds no place for control groups where none can be made', () => {
  const root = mkdtempSync(join(tmpdir(), 'phaseline-groups-'));
  expect(findCgroups(root, '5:memory:/\n6:pids:/\n')).toBeUndefined();
  mkdirSync(join(root, 'memory'));
  mkdirSync(join(root, 'pids'));
  // A folder that is no control group gets no files of the kernel.
  expect(findCgroups(root, '5:memory:/\n6:pids:/\n')).toBeUndefined();
});

it('removes the groups of processes that have ended, and no others', async () => {
  const root = mkdtempSync(join(tmpdir(), 'phaseline-groups-'));
  const own = nameCgroup('own');
  const ended = own.replace(/-\d+-own$/, '-1-ended');
  const [, namespace] = /^phaseline-(\d+)-/.exec(own)!;
  const otherNamespace = ended.replace(namespace!, '4');
  const names = [own, ended, otherNamespace, 'phaseline-probe-1', 'user.slice'];
  for (const name of names) mkdirSync(join(root, name));
  await removeAbandonedCgroups({ version: 1, memory: root, pids: root });
  expect(names.filter((name) => existsSync(join(root, name)))).toEqual(names.filter((name) => name !== ended));
});

const places = findCgroups();
describe.skipIf(places === undefined)('with control groups', () => {
  it('ends the processes of a group whose maker has ended', async () => {
    const name = nameCgroup('spec').replace(/-\d+-spec$/, '-1-spec');
    const folder = join(places!.pids, name);
    mkdirSync(folder);
    const child = spawn('/bin/sleep', ['1000']);
    const ended = once(child, 'exit');
    try {
      writeFileSync(join(folder, 'cgroup.procs'), `${child.pid}`);
      await removeAbandonedCgroups(places!);
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(existsSync(folder)).toBe(false);
    } finally {
      child.kill('SIGKILL');
      if (existsSync(folder)) rmdirSync(folder);
    }
  });
});
