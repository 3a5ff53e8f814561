import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clip } from '@phaseline/basics';
import { runProgram, startProgram } from '@phaseline/basics/processes';
import { isUsableGit, MIN_GIT_VERSION, parseGitVersion } from '@phaseline/contracts';
import { buildSearchPath, findProgram, runProcess } from '@phaseline/sandbox';
import { RepositoryProblem } from './repository-problem.js';

/** Limits of one git command. */
export interface GitLimits {
  readonly timeoutMs: number;
  /** Maximum size in bytes of a file that git writes, such as a pack. */
  readonly maxFileBytes: number;
  readonly maxMemoryBytes: number;
}

export interface GitCommand {
  readonly args: readonly string[];
  /** Additions to the environment, such as the identity of a commit. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Exit codes that are not failures. Default: 0. */
  readonly accept?: readonly number[];
}

const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/**
 * Settings that override those of a repository, so that nothing in it decides what is executed: no hooks, monitors, pagers, editors,
 * signatures, helpers or automatic maintenance. Received objects are checked before they are stored.
 */
const SAFE_SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.editor=false',
  'core.askPass=',
  'core.attributesFile=/dev/null',
  'core.symlinks=true',
  'core.autocrlf=false',
  'core.bigFileThreshold=16m',
  'core.alternateRefsCommand=false',
  'commit.gpgSign=false',
  'credential.helper=',
  'gc.auto=0',
  'maintenance.auto=false',
  'http.followRedirects=false',
  'fetch.unpackLimit=1',
  'transfer.unpackLimit=1',
  'transfer.fsckObjects=true',
  'fetch.fsckObjects=true',
  'receive.fsckObjects=true',
  'fetch.recurseSubmodules=false',
  'submodule.recurse=false',
  'pack.threads=1',
  'pack.windowMemory=64m',
  // Old repositories contain these, and they do no harm.
  ...['zeroPaddedFilemode', 'missingSpaceBeforeDate', 'badTimezone'].map((name) => `fetch.fsck.${name}=ignore`),
];

/**
 * Runs git with a fixed environment and without anything that a repository configures. `folder` is a private folder for its home; it
 * exists as long as this object is used.
 */
export class Git {
  private constructor(
    private readonly program: string,
    private readonly folder: string,
    private readonly limits: GitLimits,
    private readonly signal: AbortSignal,
  ) {}

  /** Throws RepositoryProblem `git_missing`. */
  static async open(folder: string, limits: GitLimits, signal: AbortSignal): Promise<Git> {
    const program = await findGit();
    const version = await readGitVersion();
    if (program === undefined || !isUsableGit(version))
      throw new RepositoryProblem(
        'git_missing',
        `git ${MIN_GIT_VERSION} or newer is needed on the machine of the tool-runner; found: ${version || 'none'}`,
      );
    // The owner of a local repository may be another user. Its configuration has no effect, so this is safe.
    await writeFile(join(folder, 'gitconfig'), '[safe]\n\tdirectory = *\n');
    return new Git(program, folder, limits, signal);
  }

  /** Runs a command and returns its output. Throws RepositoryProblem `git_failed` with what git reported. */
  async run(cwd: string, command: GitCommand): Promise<string> {
    const end = await runProcess(
      {
        file: this.program,
        args: [...settingArguments(), ...command.args],
        cwd,
        env: this.environment(command.env),
        stdin: command.stdin,
        maxProcesses: 64,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        ...this.limits,
      },
      this.signal,
    );
    const accepted = command.accept ?? [0];
    if (end.stoppedBy !== undefined)
      throw new RepositoryProblem(
        'repository_too_large',
        `git ${command.args[0]} exceeded its ${end.stoppedBy === 'timeout' ? 'time' : end.stoppedBy} limit`,
      );
    if (end.exitCode === null || !accepted.includes(end.exitCode))
      throw new RepositoryProblem('git_failed', `git ${command.args[0]}: ${describeError(end.stderr.text())}`);
    if (end.stdout.bytes > MAX_OUTPUT_BYTES)
      throw new RepositoryProblem('repository_too_large', `git ${command.args[0]} printed too much`);
    return end.stdout.text();
  }

  /** Runs a command and yields its output as it arrives. `input` is written to it. Throws like `run`. */
  async *stream(cwd: string, command: GitCommand): AsyncGenerator<Buffer, void, undefined> {
    const child = startProgram(this.program, [...settingArguments(), ...command.args], {
      cwd,
      env: this.environment(command.env),
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: this.limits.timeoutMs,
      killSignal: 'SIGKILL',
      signal: this.signal,
    });
    const ended = once(child, 'close') as Promise<[number | null]>;
    ended.catch(() => undefined);
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors = clip(errors + chunk.toString('utf8'), 4_000)));
    child.stdin.on('error', () => undefined);
    child.stdin.end(command.stdin ?? '');
    try {
      for await (const chunk of child.stdout) yield chunk as Buffer;
      const [code] = await ended;
      if (code !== 0) throw new RepositoryProblem('git_failed', `git ${command.args[0]}: ${describeError(errors)}`);
    } finally {
      child.kill('SIGKILL');
    }
  }

  private environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      PATH: buildSearchPath([]).join(':'),
      HOME: this.folder,
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: join(this.folder, 'gitconfig'),
      GIT_ATTR_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_NO_LAZY_FETCH: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_ALLOW_PROTOCOL: 'none',
      ...more,
    };
  }
}

/** Returns the version of git on this machine; empty if it is not installed. */
export async function readGitVersion(): Promise<string> {
  const program = await findGit();
  if (program === undefined) return '';
  const options = { timeout: 10_000, env: { LC_ALL: 'C' } };
  const printed = await runProgram(program, ['--version'], options).catch(() => undefined);
  return parseGitVersion(printed?.stdout ?? '') ?? '';
}

/** Returns the path of git; undefined when it is not installed. */
async function findGit(): Promise<string | undefined> {
  return findProgram('git', ['git'], buildSearchPath([])).catch(() => undefined);
}

function settingArguments(): readonly string[] {
  return SAFE_SETTINGS.flatMap((setting) => ['-c', setting]);
}

/** Lines that git adds to every failure of a kind. */
const BOILERPLATE = /^(hint:|Please make sure you have the correct access rights$|and the repository exists\.$)/;

/** Returns what git reported, in one line and without terminal codes. */
function describeError(stderr: string): string {
  const lines = stderr
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !BOILERPLATE.test(line));
  const prefixed = lines.filter((line) => /^(fatal|error|remote):/.test(line));
  // The reason is what ssh printed before.
  const telling = prefixed.some((line) => line.includes('Could not read from remote repository')) ? lines : prefixed;
  return clip((telling.length > 0 ? telling : lines).join(' '), 500) || 'it failed without a message';
}
