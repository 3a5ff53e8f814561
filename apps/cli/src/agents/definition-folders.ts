import { join, relative, resolve, sep } from 'node:path';
import { parseDefinitionPath } from '@phaseline/definitions';
import { projectRoot } from '../stack/project-files.js';

/** Folders that definitions are read from. The services read the same variables. A later folder overrides earlier ones. */
export interface DefinitionFolders {
  readonly agentsDir: readonly string[];
  readonly workflowsDir: readonly string[];
  readonly modelsDir: readonly string[];
}

/** The shipped folders, then those of PHASELINE_AGENTS_DIR and similar variables, resolved from the project root as in the services. */
export function getDefinitionFolders(env: NodeJS.ProcessEnv): DefinitionFolders {
  const withShipped = !/^(0|false|no|off)$/i.test(env.PHASELINE_SHIPPED_DEFINITIONS?.trim() ?? '');
  const folders = (variable: string, name: string): readonly string[] =>
    parseDefinitionPath(env[variable], withShipped ? join(projectRoot, name) : undefined).map((folder) =>
      resolve(projectRoot, folder),
    );
  return {
    agentsDir: folders('PHASELINE_AGENTS_DIR', 'agents'),
    workflowsDir: folders('PHASELINE_WORKFLOWS_DIR', 'workflows'),
    modelsDir: folders('PHASELINE_MODELS_DIR', 'models'),
  };
}

/** Display name of a folder of agents: `shipped`, or its path relative to the current directory. */
export function describeFolder(folder: string, currentDirectory: string): string {
  if (folder === join(projectRoot, 'agents')) return 'shipped';
  const path = relative(currentDirectory, folder);
  return path === '' ? '.' : path.startsWith(`..${sep}..`) ? folder : path;
}
