import { join, relative, resolve, sep } from 'node:path';
import { definitionPath } from '@phaseline/definitions';
import { projectRoot } from '../stack/project-files.js';

/** Where definitions lie: the folders that the services are told by the same variables. A later folder overrides those before it. */
export interface DefinitionFolders {
  readonly agentsDir: readonly string[];
  readonly workflowsDir: readonly string[];
  readonly modelsDir: readonly string[];
}

/** The shipped folders, and upon them those of PHASELINE_AGENTS_DIR and its like, seen from the root of the project as the services do. */
export function definitionFolders(env: NodeJS.ProcessEnv): DefinitionFolders {
  const withShipped = !/^(0|false|no|off)$/i.test(env.PHASELINE_SHIPPED_DEFINITIONS?.trim() ?? '');
  const folders = (variable: string, name: string): readonly string[] =>
    definitionPath(env[variable], withShipped ? join(projectRoot, name) : undefined).map((folder) =>
      resolve(projectRoot, folder),
    );
  return {
    agentsDir: folders('PHASELINE_AGENTS_DIR', 'agents'),
    workflowsDir: folders('PHASELINE_WORKFLOWS_DIR', 'workflows'),
    modelsDir: folders('PHASELINE_MODELS_DIR', 'models'),
  };
}

/** A folder of agents in words: `shipped`, or its path as seen from here. */
export function nameOfFolder(folder: string, currentDirectory: string): string {
  if (folder === join(projectRoot, 'agents')) return 'shipped';
  const path = relative(currentDirectory, folder);
  return path === '' ? '.' : path.startsWith(`..${sep}..`) ? folder : path;
}
