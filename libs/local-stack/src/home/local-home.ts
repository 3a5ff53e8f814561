import { access, chmod, constants, mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LocalStackError } from '../local-stack-error.js';
import { readState, writeState } from '../process/json-state-file.js';
import { isSameProcess, identifyThisProcess, type ProcessIdentity } from '../process/process-identity.js';

/** The folder for the state of the stack cannot be created or written. */
class HomeUnusable extends LocalStackError {
  readonly code = 'home_unusable';
}

/** Addresses and credentials of a running stack, for commands that connect to it. Contains passwords. */
export interface StackState {
  /** Base URL of the HTTP API. */
  readonly apiUrl: string;
  readonly ownerUrl: string;
  readonly serviceUrl: string;
  readonly queueBackend: 'redis' | 'postgres';
  readonly redisUrl?: string | undefined;
  /** Base URL of each service, by name. */
  readonly services: Readonly<Record<string, string>>;
  /** API key, if the API requires one. */
  readonly apiKey?: string | undefined;
}

/** The folder that contains all files of a stack on this machine. */
export interface LocalHome {
  readonly directory: string;
  /** Data directory for `startPostgres`. */
  readonly postgresDirectory: string;
  readonly logDirectory: string;
  readonly workspaceDirectory: string;
  /** Publishes the state of the stack that this process runs. */
  announce(state: StackState): Promise<void>;
  /** Returns the state of the running stack; undefined if none is running or its process was killed. */
  findRunning(): Promise<StackState | undefined>;
  /** Removes the published state. */
  retract(): Promise<void>;
}

/**
 * Opens the home folder: PHASELINE_HOME, else `.phaseline` in the current folder. Creates it if necessary.
 * @throws HomeUnusable
 */
export async function openLocalHome(
  env: NodeJS.ProcessEnv = process.env,
  currentDirectory = process.cwd(),
): Promise<LocalHome> {
  const directory = resolve(currentDirectory, env.PHASELINE_HOME?.trim() || '.phaseline');
  const pathOf = (name: string): string => join(directory, name);
  await createFolders(directory, [pathOf('logs'), pathOf('workspaces')]);
  const stateFile = pathOf('state.json');
  return {
    directory,
    postgresDirectory: pathOf('postgres'),
    logDirectory: pathOf('logs'),
    workspaceDirectory: pathOf('workspaces'),
    announce: async (state) => writeState(stateFile, { ...state, runBy: await identifyThisProcess() }),
    findRunning: async () => {
      const state = await readState<StackState & { runBy: ProcessIdentity }>(stateFile);
      if (state?.runBy === undefined || !(await isSameProcess(state.runBy))) return undefined;
      return state as StackState;
    },
    retract: () => rm(stateFile, { force: true }),
  };
}

async function createFolders(directory: string, subfolders: readonly string[]): Promise<void> {
  try {
    // When started by root, PostgreSQL runs as another user, who must be able to traverse this folder. Its subfolders stay closed.
    const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
    if ((await mkdir(directory, { recursive: true, mode })) !== undefined) await chmod(directory, mode);
    for (const folder of subfolders) await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(directory, constants.W_OK);
  } catch (cause) {
    throw new HomeUnusable(
      `${directory} cannot be written (${(cause as NodeJS.ErrnoException).code}). Set PHASELINE_HOME to a folder that you own.`,
      { cause },
    );
  }
}
