import { loadDefinitions, tryDefinitions, type Definitions, type TriedDefinitions } from '@phaseline/definitions';
import { modelProfileSchema, type ModelProfile } from '@phaseline/model';
import { definitionFolders, type DefinitionFolders } from './definition-folders.js';

export interface WhichDefinitions {
  readonly folders?: DefinitionFolders;
  /** Only this agent. */
  readonly agent?: string | undefined;
}

/** Agents, workflows and model profiles as this command's environment places them. Throws InvalidDefinitions. */
export async function loadAllDefinitions(env: NodeJS.ProcessEnv): Promise<Definitions<ModelProfile>> {
  return loadDefinitions(await optionsOf(env, {}));
}

/** The same, with what can be used and what is wrong with the rest. Throws UnknownDefinition for an agent that is not there. */
export async function tryAllDefinitions(
  env: NodeJS.ProcessEnv,
  which: WhichDefinitions = {},
): Promise<TriedDefinitions<ModelProfile>> {
  return tryDefinitions(await optionsOf(env, which));
}

async function optionsOf(env: NodeJS.ProcessEnv, { folders = definitionFolders(env), agent }: WhichDefinitions) {
  return {
    ...folders,
    modelSchema: modelProfileSchema,
    variables: openSettings(env),
    knownTools: await toolNames(),
    ...(agent === undefined ? {} : { only: [agent] }),
  };
}

/** Every tool that workers offer. */
async function toolNames(): Promise<readonly string[]> {
  const { offeredPacks } = await import('@phaseline/workers/packs');
  return offeredPacks.flatMap(({ tools }) => tools.map(({ name }) => name));
}

/** What a model profile may refer to, by the rule of the services: settings, and nothing that may hold a secret. */
function openSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => name.startsWith('PHASELINE_') && !/KEY|SECRET|TOKEN$|PASSWORD|URL/.test(name),
    ),
  );
}
