import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../command/command-errors.js';

/** Where `phaseline up` listens when nothing else is said. */
export const DEFAULT_PORT = 7070;

export interface ServerChoice {
  readonly url: string;
  /** The key of the local stack, where it needs one. */
  readonly apiKey?: string | undefined;
}

/** The stack of this machine, as far as it matters here. */
export type RunningStack = () => Promise<{ readonly apiUrl: string; readonly apiKey?: string | undefined } | undefined>;

/** Which server a command talks to: `--url`, PHASELINE_URL, the local stack that runs, or the default port. Throws UsageError. */
export async function chooseServer(
  given: { readonly option: string | undefined; readonly env: NodeJS.ProcessEnv },
  runningStack: RunningStack,
): Promise<ServerChoice> {
  if (given.option !== undefined) return { url: checkedUrl(given.option, '--url') };
  const fromEnvironment = given.env.PHASELINE_URL?.trim();
  if (fromEnvironment) return { url: checkedUrl(fromEnvironment, 'PHASELINE_URL') };
  const stack = await runningStack();
  return stack ? { url: stack.apiUrl, apiKey: stack.apiKey } : { url: `http://127.0.0.1:${DEFAULT_PORT}` };
}

/** The stack that runs in the local home. Makes no folder where there is none: a command that only looks leaves no trace. */
export async function localStack(env: NodeJS.ProcessEnv, currentDirectory: string) {
  const directory = resolve(currentDirectory, env.PHASELINE_HOME?.trim() || '.phaseline');
  const there = await access(directory).then(
    () => true,
    () => false,
  );
  if (!there) return undefined;
  const { localHome } = await import('@phaseline/local-stack');
  // A home of somebody else's cannot be read, and then it is not where this command should look.
  return localHome(env, currentDirectory)
    .then((home) => home.running())
    .catch(() => undefined);
}

function checkedUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    if (url.username === '' && url.password === '' && url.search === '' && url.hash === '') return text;
    throw new UsageError(
      `${source} must hold neither a login nor anything behind the path. Give the key as PHASELINE_API_KEY.`,
    );
  }
  throw new UsageError(`${source} is not a base URL. Expected something like http://127.0.0.1:${DEFAULT_PORT}.`);
}
