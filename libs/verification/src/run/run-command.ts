import type { Service } from '@phaseline/contracts';
import type { SecretMask } from '@phaseline/basics/secrets';
import { findServiceNotReady, type Sandbox } from '@phaseline/sandbox';
import { dirname, join } from 'node:path';
import type { CommandEnd } from '../report/decide-outcome.js';
import type { RunFolders } from '../setup/verifier-folders.js';

/** Maximum bytes of each stream of output that are kept, from its beginning and end. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_FILE_BYTES = 1024 * 1024 * 1024;
const MAX_DISK_BYTES = 8 * 1024 * 1024 * 1024;
const DEFAULT_MEMORY_BYTES = 2 * 1024 * 1024 * 1024;
const DEFAULT_PROCESSES = 256;

/** Git refuses a folder of another user, such as the one that a sandbox shows, unless it is named here. */
const GIT_VARIABLES = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };

interface CommandRequest {
  readonly argv: readonly string[];
  /** Working directory, relative to the workspace. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly network?: readonly string[] | undefined;
  readonly services?: readonly Service[] | undefined;
  readonly timeoutMs: number;
  readonly folders: RunFolders;
}

interface EndedCommand extends CommandEnd {
  readonly durationMs: number;
  /** Standard output; undefined if it was too long to be kept completely. */
  readonly stdout: string | undefined;
  /** Both streams, shortened if necessary. */
  readonly output: string;
  /** The service that did not become ready, counted from 1; the command was not started then. */
  readonly notReady?: { readonly number: number; readonly reason: string } | undefined;
}

export type RunCommand = (request: CommandRequest) => Promise<EndedCommand>;

export interface CommandOptions {
  readonly sandbox: Sandbox;
  readonly path?: readonly string[] | undefined;
  readonly maxMemoryBytes?: number | undefined;
  readonly maxProcesses?: number | undefined;
  readonly mask?: SecretMask | undefined;
  readonly signal: AbortSignal;
}

/** Returns a function that runs programs in a sandbox. It throws ToolError `no_sandbox`, `program_missing` and `not_started`. */
export function createRunCommand(options: CommandOptions): RunCommand {
  const { sandbox, mask, signal, maxMemoryBytes = DEFAULT_MEMORY_BYTES, maxProcesses = DEFAULT_PROCESSES } = options;
  // The Node.js of this process is the one that every sandbox shows.
  const path = [...(options.path ?? []), dirname(process.execPath)];
  return async ({ argv, cwd, env, network, services, timeoutMs, folders }) => {
    const [program = '', ...args] = argv;
    const isLocal = program.includes('/') && !program.startsWith('/');
    const file = isLocal
      ? join((await sandbox.getPaths(folders)).workspace, cwd, program)
      : await sandbox.findProgram(program, [program], path);
    const end = await sandbox.run(
      {
        ...{ file, args, cwd, path, folders, network, services },
        env: { ...GIT_VARIABLES, CI: '1', ...env },
        limits: {
          ...{ timeoutMs, maxMemoryBytes, maxProcesses },
          maxFileBytes: MAX_FILE_BYTES,
          maxDiskBytes: MAX_DISK_BYTES,
        },
      },
      { maxOutputBytes: MAX_OUTPUT_BYTES, mask },
      signal,
    );
    const [stdout, stderr] = [end.stdout.text(), end.stderr.text()];
    return {
      exitCode: end.exitCode,
      signal: end.signal,
      stoppedBy: end.stoppedBy,
      durationMs: end.durationMs,
      stdout: end.stdout.bytes <= MAX_OUTPUT_BYTES ? stdout : undefined,
      output: `${['$', ...argv].join(' ')}\n${stdout}\n--- standard error\n${stderr}\n`,
      notReady: services?.length ? findServiceNotReady(end.exitCode, stderr) : undefined,
    };
  };
}
