import {
  loadDefinitions,
  loadUsableDefinitions,
  type Definitions,
  type LoadedDefinitions,
} from '@phaseline/definitions';
import { modelProfileSchema, type ModelProfile } from '@phaseline/model';
import { packSpecs } from '@phaseline/pack-specs';
import { getDefinitionFolders, type DefinitionFolders } from './definition-folders.js';

export interface DefinitionSelection {
  readonly folders?: DefinitionFolders;
  /** Load only this agent. */
  readonly agent?: string | undefined;
}

/** Loads agents, workflows and model profiles from the folders that the environment names. Throws InvalidDefinitions. */
export async function loadAllDefinitions(env: NodeJS.ProcessEnv): Promise<Definitions<ModelProfile>> {
  return loadDefinitions(await buildLoadOptions(env, {}));
}

/** Like `loadAllDefinitions`, but returns the usable definitions along with the problems of the others. Throws UnknownDefinition. */
export async function tryAllDefinitions(
  env: NodeJS.ProcessEnv,
  which: DefinitionSelection = {},
): Promise<LoadedDefinitions<ModelProfile>> {
  return loadUsableDefinitions(await buildLoadOptions(env, which));
}

async function buildLoadOptions(
  env: NodeJS.ProcessEnv,
  { folders = getDefinitionFolders(env), agent }: DefinitionSelection,
) {
  return {
    ...folders,
    modelSchema: modelProfileSchema,
    variables: selectPublicSettings(env),
    tools: packSpecs.flatMap(({ tools }) => tools),
    ...(agent === undefined ? {} : { only: [agent] }),
  };
}

/** Settings that a model profile may refer to. As in the services, nothing that may hold a secret is among them. */
function selectPublicSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => name.startsWith('PHASELINE_') && !/KEY|SECRET|TOKEN$|PASSWORD|URL/.test(name),
    ),
  );
}
