import {
  execFile,
  execFileSync,
  spawn,
  type ChildProcess,
  type ChildProcessByStdio,
  type ExecFileOptions,
  type SpawnOptions,
  type SpawnOptionsWithStdioTuple,
  type StdioPipe,
} from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';

/**
 * Variables of a program. Without them, Node.js passes on those of this process, with keys and passwords: every user of the machine who runs
 * as the same user, and the program itself, could read them.
 */
interface WithEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Folders of programs. Fixed, so that the environment of this process has no influence. */
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Builds the environment of a program of the machine: a search path, a language, the variables of this process that `passedOn` names, and
 * `more`.
 */
export function buildProgramEnvironment(
  more: Readonly<Record<string, string>> = {},
  passedOn: readonly string[] = [],
): Record<string, string> {
  const passed = passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  return { PATH: SYSTEM_PATH, LANG: 'C.UTF-8', TZ: 'UTC', ...Object.fromEntries(passed), ...more };
}

/** Starts a program like `spawn`. Its environment contains nothing but `env`. */
export const startProgram: StartProgram = spawn as StartProgram;

interface StartProgram {
  (
    file: string,
    args: readonly string[],
    options: SpawnOptionsWithStdioTuple<StdioPipe, StdioPipe, StdioPipe> & WithEnvironment,
  ): ChildProcessByStdio<Writable, Readable, Readable>;
  (file: string, args: readonly string[], options: SpawnOptions & WithEnvironment): ChildProcess;
}

const execute = promisify(execFile);

/** Runs a program and returns what it printed. Rejects, like `execFile`, when it fails. */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: ExecFileOptions & WithEnvironment,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return execute(file, args, { ...options, encoding: 'utf8' });
}

/** Runs a program and returns what it printed on its standard output, for code that cannot wait. Throws when it fails. */
export function runProgramSync(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly timeout: number } & WithEnvironment,
): string {
  return execFileSync(file, args, { ...options, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
