import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NotBuilt, UsageError } from '../command/command-errors.js';

/** The root of the repository, seen from `src` and from `dist` alike. */
export const projectRoot = fileURLToPath(new URL('../../../../', import.meta.url));

/** The services of a stack, in the order in which they are shown. */
export const serviceNames = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** The program of an app. Throws NotBuilt. */
export async function appMain(app: ServiceName | 'cli', root = projectRoot): Promise<string> {
  const path = join(root, 'apps', app, 'dist', 'main.js');
  await access(path).catch((cause: unknown) => {
    throw new NotBuilt(`${path} is not there. Build the project first: npm run build`, { cause });
  });
  return path;
}

/** The document that an agent brings along for demonstrations: the first file of `agents/<agent>/example`. Throws UsageError. */
export async function exampleDocument(agent: string, root = projectRoot): Promise<string> {
  const folder = join(root, 'agents', agent, 'example');
  const names = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const [first] = names
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && !/^readme\b/i.test(entry.name))
    .map((entry) => entry.name)
    .sort();
  if (first === undefined)
    throw new UsageError(`The agent ${agent} brings no example document. Give one with --document FILE.`);
  return join(folder, first);
}
