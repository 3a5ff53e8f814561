import { join, resolve } from 'node:path';
import { projectRoot } from '../stack/project-files.js';

/** Where definitions lie: the folders that the services are told by the same variables. */
export interface DefinitionFolders {
  readonly agentsDir: string;
  readonly workflowsDir: string;
  readonly modelsDir: string;
}

/** The folders of PHASELINE_AGENTS_DIR and its like, seen from the root of the project as the services see them; else its own. */
export function definitionFolders(env: NodeJS.ProcessEnv): DefinitionFolders {
  const folder = (variable: string, name: string): string => {
    const given = env[variable]?.trim();
    return given ? resolve(projectRoot, given) : join(projectRoot, name);
  };
  return {
    agentsDir: folder('PHASELINE_AGENTS_DIR', 'agents'),
    workflowsDir: folder('PHASELINE_WORKFLOWS_DIR', 'workflows'),
    modelsDir: folder('PHASELINE_MODELS_DIR', 'models'),
  };
}
