import { existsSync } from 'node:fs';
import type { StackState } from '@phaseline/local-stack';
import { getHomeDirectory } from './home-directory.js';
import { UsageError } from '../command/command-errors.js';

/** Default port of `phaseline up`. */
export const DEFAULT_PORT = 7070;

export interface ServerChoice {
  readonly url: string;
  /** API key of the local stack, if it requires one. */
  readonly apiKey?: string | undefined;
}

/** Returns the URL and API key of the running local stack, if any. */
export type FindRunningStack = () => Promise<
  { readonly apiUrl: string; readonly apiKey?: string | undefined } | undefined
>;

/** Selects the server for a command: `--url`, PHASELINE_URL, the running local stack, or the default port. Throws UsageError. */
export async function chooseServer(
  given: { readonly option: string | undefined; readonly env: NodeJS.ProcessEnv },
  runningStack: FindRunningStack,
): Promise<ServerChoice> {
  if (given.option !== undefined) return { url: requireBaseUrl(given.option, '--url') };
  const fromEnvironment = given.env.PHASELINE_URL?.trim();
  if (fromEnvironment) return { url: requireBaseUrl(fromEnvironment, 'PHASELINE_URL') };
  const stack = await runningStack();
  return stack ? { url: stack.apiUrl, apiKey: stack.apiKey } : { url: `http://127.0.0.1:${DEFAULT_PORT}` };
}

/** Returns the stack that runs in PHASELINE_HOME, if any. Does not create the folder: commands that only read leave no trace. */
export async function findLocalStack(
  env: NodeJS.ProcessEnv,
  currentDirectory: string,
): Promise<StackState | undefined> {
  const directory = getHomeDirectory(env, currentDirectory);
  if (!existsSync(directory)) return undefined;
  const { openLocalHome } = await import('@phaseline/local-stack');
  // A folder that cannot be read belongs to another user, whose stack is not used.
  return openLocalHome(env, currentDirectory)
    .then((home) => home.findRunning())
    .catch(() => undefined);
}

function requireBaseUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    if (url.username === '' && url.password === '' && url.search === '' && url.hash === '') return text;
    throw new UsageError(
      `${source} must not contain a login, a query or a fragment. Set the API key in PHASELINE_API_KEY.`,
    );
  }
  throw new UsageError(`${source} is not a base URL. Expected something like http://127.0.0.1:${DEFAULT_PORT}.`);
}
