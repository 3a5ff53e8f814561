import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordInheritance } from '@phaseline/testing';
import { expect, it, onTestFinished } from 'vitest';
import { Sandbox } from './sandbox.js';
import type { SandboxSettings } from './sandbox-settings.js';

const cases: readonly (SandboxSettings & { readonly name: string })[] = [
  { name: 'bubblewrap', mode: 'bubblewrap' },
  { name: 'unshare', mode: 'unshare' },
  { name: 'none', mode: 'none' },
  { name: 'unshare with limits of another user', mode: 'unshare', limitedBy: 'rlimits' },
  // Only root changes the user of folders.
  {
    name: 'unshare with folders that are given to another user',
    mode: 'unshare',
    limitedBy: 'rlimits',
    mapsIds: false,
  },
  { name: 'a container', mode: 'container', containerImage: 'tools:1' },
];

it.each(cases)(
  'no program that runs a command in a sandbox gets the environment of the service: $name',
  async (one) => {
    const { name: _name, ...settings } = one;
    const root = mkdtempSync(join(tmpdir(), 'phaseline-inherited-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    for (const name of ['workspace', 'tmp']) mkdirSync(join(root, name));
    // In place of a container engine.
    writeFileSync(join(root, 'docker'), '#!/bin/sh\necho contained\n', { mode: 0o755 });
    const record = recordInheritance();
    onTestFinished(() => record.end());
    const sandbox = new Sandbox({ ...settings, containerProgram: join(root, 'docker') });
    const limits = { timeoutMs: 60_000, maxMemoryBytes: 2 ** 28, maxProcesses: 10, maxFileBytes: 2 ** 20 };
    const end = await sandbox.run(
      {
        ...{ file: '/bin/echo', args: ['contained'], env: {}, limits: { ...limits, maxDiskBytes: 2 ** 30 } },
        folders: { folder: join(root, 'workspace'), tmp: join(root, 'tmp') },
      },
      { maxOutputBytes: 1_000 },
      new AbortController().signal,
    );
    expect(end.stdout.text() + end.stderr.text()).toBe('contained\n');
    expect(record.listHeirs()).toEqual([]);
  },
);
