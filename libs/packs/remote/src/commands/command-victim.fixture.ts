// Runs a long command for a spec that kills this process. The argument is passed to the command, so that the spec can find it.
import { tmpdir } from 'node:os';
import { runProcess } from '@phaseline/sandbox';

const limits = {
  timeoutMs: 600_000,
  maxMemoryBytes: 2 ** 30,
  maxProcesses: 10,
  maxFileBytes: 2 ** 20,
  maxOutputBytes: 1_000,
};
const args = ['-e', 'setInterval(() => {}, 1000)', process.argv[2]!];
await runProcess({ file: process.execPath, args, cwd: tmpdir(), env: {}, ...limits }, new AbortController().signal);
