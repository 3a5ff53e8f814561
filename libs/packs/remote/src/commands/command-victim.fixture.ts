// Runs a long command for a spec that kills this process. The argument is passed to the command, so that the spec can find it.
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandbox } from '@phaseline/sandbox';

const root = await mkdtemp(join(tmpdir(), 'phaseline-victim-'));
const folders = { folder: join(root, 'workspace'), tmp: join(root, 'tmp') };
for (const folder of Object.values(folders)) await mkdir(folder);
const limits = {
  timeoutMs: 600_000,
  maxMemoryBytes: 2 ** 30,
  maxProcesses: 10,
  maxFileBytes: 2 ** 20,
  maxDiskBytes: 2 ** 30,
};
const args = ['-e', 'setInterval(() => {}, 1000)', process.argv[2]!];
const command = { file: process.execPath, args, env: {}, folders, limits };
await new Sandbox({ mode: 'auto' }).run(command, { maxOutputBytes: 1_000 }, new AbortController().signal);
