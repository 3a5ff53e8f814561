// Makes the attempts of a spec and prints a line of JSON for each. Arguments: the folder of the spec, `control` or a mechanism, what
// limits commands, and the names of the attempts.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Sandbox } from '@phaseline/sandbox';
import type { PhaseEvent } from '@phaseline/domain';
import { RemoteToolBench } from '../../remote-tool-bench.fixture.js';
import { createCommandsPack } from '../commands-pack.js';
import { DiskFolders } from '../folder/disk-folders.js';
import { attemptGroups } from './attempts.fixture.js';
import type { Attempt } from './attempt.fixture.js';
import { Victims } from './victims.fixture.js';

/** Time after which a control is ended, in milliseconds, if the attempt is on no shorter limit. */
const CONTROL_MS = 60_000;

export interface AttemptRecord {
  readonly name: string;
  /** Everything that a person or a model could read. */
  readonly output: string;
  readonly events: readonly PhaseEvent[];
  readonly harms: readonly string[];
}

const attempts = Object.values(attemptGroups).flat();
const [, , root, mode, limitedBy, ...names] = process.argv;
const victims = new Victims(root!);
await victims.start();
const sandbox = new Sandbox({
  mode: mode === 'control' ? 'none' : (mode as 'bubblewrap'),
  toolchain: [victims.toolchain],
  ...(limitedBy === 'rlimits' ? { limitedBy } : {}),
});
if (mode !== 'control')
  await print({ name: 'report', output: JSON.stringify(await sandbox.check()), events: [], harms: [] });
for (const [index, attempt] of attempts.entries()) {
  if (!names.includes(attempt.name)) continue;
  victims.reset();
  await print(await (mode === 'control' ? runOutside(attempt, index) : runContained(attempt, index)));
}
victims.close();
process.exit();

/** Resolves when the line is written: the rest of it would be lost at the end of this process. */
function print(record: AttemptRecord): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${JSON.stringify(record)}\n`, () => resolve()));
}

/** Returns the text of a file. Repeated characters are left out, because attempts on the disk write 80 MB of them. */
function describeFile(content: string | Uint8Array): string {
  return Buffer.from(content)
    .toString('utf8')
    .replace(/(.)\1{99,}/gs, '$1');
}

async function runContained({ name, script, then, settings }: Attempt, index: number): Promise<AttemptRecord> {
  const pack = createCommandsPack({ folders: new DiskFolders(victims.work), sandbox });
  const bench = new RemoteToolBench(pack, {
    commands: {
      ...{ shell: true, timeoutMs: 30_000, maxDiskBytes: 2 ** 30, maxOutputBytes: 100_000 },
      ...{ path: [dirname(process.execPath)], env: { ...victims.variables, HOLD: '8' } },
      ...settings,
    },
  });
  bench.jobId = `job-${index}`;
  let output = '';
  const run = async (command: string, cwd?: string): Promise<void> => {
    try {
      const outcome = await bench.run('run_command', { command, ...(cwd === undefined ? {} : { cwd }) });
      const contents = (outcome.files ?? []).map((file) => ('content' in file ? describeFile(file.content) : ''));
      output += [outcome.content, ...contents].join('\n');
    } catch (error) {
      output += String(error);
    }
  };
  await run(`${script}\necho held`);
  if (then) await run(then.script, then.cwd);
  return { name, output, events: bench.events, harms: victims.findHarms() };
}

/** Runs a script as a child of this process, as if there were no sandbox. */
async function runOutside({ name, script, settings }: Attempt, index: number): Promise<AttemptRecord> {
  const cwd = join(victims.work, `job-${index}/phase-1/workspace`);
  mkdirSync(cwd, { recursive: true });
  const env = { ...process.env, ...victims.variables, HOLD: '1' };
  const child = spawn('/bin/sh', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')));
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), settings?.timeoutMs ?? CONTROL_MS);
  await new Promise((resolve) => child.on('exit', resolve));
  clearTimeout(timer);
  await new Promise((resolve) => setTimeout(resolve, 50));
  return { name, output, events: [], harms: victims.findHarms() };
}
