import { InvalidDefinitions, loadDefinitions, type Variables } from '@phaseline/definitions';
import type { AgentSource } from '@phaseline/orchestration';
import { exitCode, StartupError } from '@phaseline/service';
import { z } from 'zod';
import type { AgentList } from './agent-list.js';
import { ToolListing } from './tool-listing.js';

/** Token of `Agents`. */
export const AGENTS = Symbol('agents');

/** The agents of this process, as its folders had them when it started. */
export interface Agents extends AgentSource {
  list(): AgentList['items'];
}

/** Agents, workflows or models cannot be used as they are; the message names each file, line and what was expected there. */
export class DefinitionsUnusable extends StartupError {
  readonly code = 'DEFINITIONS_UNUSABLE';
  readonly exitCode = exitCode.config;
}

/** Only workers call models. Here it matters that the profiles that agents name exist. */
const modelSchema = z.looseObject({ name: z.string() });

/** Throws DefinitionsUnusable. */
export async function loadAgents(folders: {
  readonly agentsDir: string;
  readonly workflowsDir: string;
  readonly modelsDir: string;
  readonly variables: Variables;
  /** That MCP servers may be in. */
  readonly allowedNetworks?: readonly string[];
}): Promise<Agents> {
  const { allowedNetworks = [], ...places } = folders;
  const tools = new ToolListing(allowedNetworks);
  const { agents, workflows } = await loadDefinitions({ ...places, modelSchema }).catch((error: unknown) => {
    throw error instanceof InvalidDefinitions ? new DefinitionsUnusable(error.message, { cause: error }) : error;
  });
  return {
    resolve: async (name) => {
      const { definition: written, hash, instructions } = agents.get(name);
      const definition = await tools.listed(written);
      const workflow = workflows.get(definition.workflow);
      return { definition, hash, instructions, workflow: workflow.definition, workflowHash: workflow.hash };
    },
    list: () =>
      agents.names.map((name) => {
        const { definition, hash } = agents.get(name);
        const { displayName, description, workflow, deliverables } = definition;
        return { name, displayName, description, workflow, deliverables, hash };
      }),
  };
}
