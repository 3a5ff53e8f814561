import type { Service } from '@phaseline/contracts';
import type { CommandConnection } from '../proxy/command-proxy.js';
import type { CommandFolders, CommandLimits, ReadOnlyMount } from './sandbox-settings.js';

/** A program to run in the sandbox. */
export interface SandboxCommand {
  /** Absolute path of the program. */
  readonly file: string;
  readonly args: readonly string[];
  /** Working directory, relative to the workspace. */
  readonly cwd?: string;
  /** Variables in addition to the few that every command has. */
  readonly env: Readonly<Record<string, string>>;
  /** Folders searched for programs before those of the system. */
  readonly path?: readonly string[];
  readonly folders: CommandFolders;
  /** Folders that it sees in addition, and cannot change. Without a sandbox there are none. */
  readonly mounts?: readonly ReadOnlyMount[];
  readonly limits: CommandLimits;
  /** Programs that run beside it, on the same loopback, and end with it. It starts when all of them are ready. */
  readonly services?: readonly Service[] | undefined;
  /** Hosts that may be reached; none if absent or empty. */
  readonly network?: readonly string[] | undefined;
  /** Called for each connection of the command when it ends, also for those that were refused. */
  readonly onConnection?: (connection: CommandConnection) => void;
}
