import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { CommandContext } from '../command/command-context.js';
import { getDefinitionFolders } from './definition-folders.js';
import type { DefinitionSelection } from './load-all-definitions.js';

/** Selects the definitions that an argument names. `target` is a folder of agents, the folder of one agent, or the name of an agent. */
export async function selectDefinitions(
  { env, currentDirectory }: CommandContext,
  target: string | undefined,
): Promise<DefinitionSelection> {
  if (target === undefined) return {};
  const folders = getDefinitionFolders(env);
  const path = resolve(currentDirectory, target);
  const looksLikePath = /[/\\]|^\.+$/.test(target);
  if (!looksLikePath && !(await isFolder(path))) return { agent: target };
  // An agent's name wins over a folder of that name in the current directory.
  const named = await Promise.all(folders.agentsDir.map((folder) => isFolder(join(folder, target))));
  if (!looksLikePath && named.includes(true)) return { agent: target };
  const definitionFiles = ['agent.yaml', 'agent.yml', 'agent.json'];
  if (definitionFiles.some((name) => existsSync(join(path, name))))
    return { folders: { ...folders, agentsDir: [...folders.agentsDir, dirname(path)] }, agent: basename(path) };
  return { folders: { ...folders, agentsDir: [path] } };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
