import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NotBuilt, UsageError } from '../command/command-errors.js';

/** Root of the repository. The relative path is the same from `src` and `dist`. */
export const projectRoot = fileURLToPath(new URL('../../../../', import.meta.url));

/** Names of the services of a stack, in display order. */
export const serviceNames = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Returns the path of the compiled program of an app. Throws NotBuilt. */
export async function findAppMain(
  app: 'cli' | 'case-program' | 'what-if-program',
  root = projectRoot,
): Promise<string> {
  return findProgram(join(root, 'apps', app, 'dist/main.js'));
}

/** Returns the path of the bundle of a service. Throws NotBuilt. */
export async function findServiceProgram(service: ServiceName, root = projectRoot): Promise<string> {
  return findProgram(join(root, 'dist/services', `${service}.js`));
}

async function findProgram(path: string): Promise<string> {
  await access(path).catch((cause: unknown) => {
    throw new NotBuilt(`${path} does not exist. Build the project first: npm run build`, { cause });
  });
  return path;
}

/** Returns the path of an agent's example document: the first file of `agents/<agent>/example`. Throws UsageError. */
export async function findExampleDocument(agent: string): Promise<string> {
  const folder = join(projectRoot, 'agents', agent, 'example');
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const [first] = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && !/^readme\b/i.test(entry.name))
    .map((entry) => entry.name)
    .sort();
  if (first === undefined)
    throw new UsageError(
      `There is no example document for an agent ${agent}. Give one with --document FILE, or see phaseline agents list.`,
    );
  return join(folder, first);
}
