import { join } from 'node:path';
import type { CommandFolders, ReadOnlyMount, SandboxCommand } from '@phaseline/sandbox';
import type { CommandHandler } from '../settings/hook-handler.js';

/** Folder of the guard set in the working directory. */
export const SET_FOLDER = '.claude';
/** Folder in which hooks find the transcript and their plugin. */
export const RUN_FOLDER = '/run/phaseline-hooks';
/** Folder below it whose only entry is the plugin, under the name of the guard set. */
export const PLUGINS_FOLDER = 'plugins';
export const TRANSCRIPT_FILE = 'transcript.jsonl';
/** Folder in the temporary folder of the phase in which plugins keep data. */
export const PLUGIN_DATA_FOLDER = 'claude-plugin-data';

const MAX_MEMORY_BYTES = 1024 * 1024 * 1024;
const MAX_PROCESSES = 100;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_DISK_BYTES = 4 * 1024 * 1024 * 1024;

export interface HookTerms {
  /** Where hooks see the working directory. */
  readonly root: string;
  /** Where they see the temporary folder of the phase. */
  readonly tmp: string;
  /** Where they see the guard set under its own name. */
  readonly pluginRoot: string;
  readonly folders: CommandFolders;
  readonly mounts: readonly ReadOnlyMount[];
  /** Variables of the guard set, and its declared secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Hosts that may be reached. */
  readonly network: readonly string[];
  /** Folders searched for programs before those of the system. */
  readonly path: readonly string[];
  readonly effort?: string | undefined;
  readonly onConnection?: SandboxCommand['onConnection'] | undefined;
}

/** Builds the command that runs a hook in the sandbox, in the working directory and with the variables of the protocol. */
export function buildHookCommand(handler: CommandHandler, terms: HookTerms): SandboxCommand {
  const { root, tmp, pluginRoot, folders, mounts, network, path, effort, onConnection } = terms;
  const variables = {
    CLAUDE_PROJECT_DIR: root,
    CLAUDE_PLUGIN_ROOT: pluginRoot,
    CLAUDE_PLUGIN_DATA: join(tmp, PLUGIN_DATA_FOLDER),
    CLAUDE_CODE_REMOTE: 'true',
    ...(effort === undefined ? {} : { CLAUDE_EFFORT: effort }),
    // What a hook writes there is not read: variables of commands come from the agent.
    ...(handler.point === 'SessionStart' ? { CLAUDE_ENV_FILE: join(tmp, 'claude-env') } : {}),
  };
  return {
    ...buildProgram(handler, variables),
    env: { ...terms.env, ...variables },
    path,
    folders,
    mounts,
    network,
    ...(onConnection ? { onConnection } : {}),
    limits: {
      timeoutMs: handler.timeoutSeconds * 1_000,
      maxMemoryBytes: MAX_MEMORY_BYTES,
      maxProcesses: MAX_PROCESSES,
      maxFileBytes: MAX_FILE_BYTES,
      maxDiskBytes: MAX_DISK_BYTES,
    },
  };
}

function buildProgram(
  { command, args, shell }: CommandHandler,
  variables: Readonly<Record<string, string>>,
): Pick<SandboxCommand, 'file' | 'args'> {
  if (!args) return { file: shell === 'bash' ? '/bin/bash' : '/bin/sh', args: ['-c', command] };
  // Without a shell, the placeholders are filled in here. The shell below only finds the program.
  const fill = (text: string): string =>
    text.replace(/\$\{([A-Z_]+)\}/g, (whole, name: string) => variables[name] ?? whole);
  return { file: '/bin/sh', args: ['-c', 'exec "$0" "$@"', ...[command, ...args].map(fill)] };
}
