import { access, chmod, constants, mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LocalStackError } from '../local-stack-error.js';
import { readState, writeState } from '../process/json-state-file.js';
import { isSameProcess, thisProcess, type ProcessIdentity } from '../process/process-identity.js';

/** The folder for the state of this machine's stack cannot be made or written. */
export class HomeUnusable extends LocalStackError {
  readonly code = 'HOME_UNUSABLE';
}

/** What a running stack tells the commands that want to talk to it. Holds passwords. */
export interface StackState {
  /** Base URL of the HTTP API. */
  readonly apiUrl: string;
  readonly ownerUrl: string;
  readonly serviceUrl: string;
  readonly queueBackend: 'redis' | 'postgres';
  readonly redisUrl?: string | undefined;
  /** Base URL of each service, by name. */
  readonly services: Readonly<Record<string, string>>;
  /** Key for the API where one is needed. */
  readonly apiKey?: string | undefined;
}

/** The folder that holds everything of a stack on this machine. */
export interface LocalHome {
  readonly directory: string;
  /** For `startPostgres`. */
  readonly postgresDirectory: string;
  readonly logDirectory: string;
  readonly workspaceDirectory: string;
  /** Leaves word of the stack that this process runs. */
  announce(state: StackState): Promise<void>;
  /** The stack that runs now; undefined when none does, also when it was killed and could not say so. */
  running(): Promise<StackState | undefined>;
  /** Takes the announcement back. */
  retract(): Promise<void>;
}

/**
 * Where state lies: PHASELINE_HOME, else `.phaseline` in the current folder. Makes the folder.
 * @throws HomeUnusable
 */
export async function localHome(
  env: NodeJS.ProcessEnv = process.env,
  currentDirectory = process.cwd(),
): Promise<LocalHome> {
  const directory = resolve(currentDirectory, env.PHASELINE_HOME?.trim() || '.phaseline');
  const at = (name: string): string => join(directory, name);
  await makeFolders(directory, [at('logs'), at('workspaces')]);
  const stateFile = at('state.json');
  return {
    directory,
    postgresDirectory: at('postgres'),
    logDirectory: at('logs'),
    workspaceDirectory: at('workspaces'),
    announce: async (state) => writeState(stateFile, { ...state, runBy: await thisProcess() }),
    running: async () => {
      const state = await readState<StackState & { runBy: ProcessIdentity }>(stateFile);
      if (state?.runBy === undefined || !(await isSameProcess(state.runBy))) return undefined;
      return state as StackState;
    },
    retract: () => rm(stateFile, { force: true }),
  };
}

async function makeFolders(directory: string, inside: readonly string[]): Promise<void> {
  try {
    // Root's PostgreSQL runs as another user, who must be able to pass through to its data; what is inside stays closed.
    const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
    if ((await mkdir(directory, { recursive: true, mode })) !== undefined) await chmod(directory, mode);
    for (const folder of inside) await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(directory, constants.W_OK);
  } catch (cause) {
    throw new HomeUnusable(
      `${directory} cannot be written (${(cause as NodeJS.ErrnoException).code}). Set PHASELINE_HOME to a folder that is yours.`,
      { cause },
    );
  }
}
