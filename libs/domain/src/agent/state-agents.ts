import { z } from 'zod';
import { agentDefinitionSchema, type AgentDefinition } from './agent-definition.js';

/** The agents that states of the workflow name, by name, with the hash of each definition. */
export const stateAgentsSchema = z.record(
  z.string(),
  z.object({ definition: agentDefinitionSchema, hash: z.string().regex(/^[0-9a-f]{64}$/) }),
);
export type StateAgents = Readonly<z.infer<typeof stateAgentsSchema>>;

/** The definitions that decide about the agent of a phase. */
export interface AgentsOfJob {
  readonly agent: AgentDefinition;
  readonly agents?: StateAgents | undefined;
}

/** Returns the agent of a state: the one that it names, or that of the job. Throws if the named one was not submitted with the job. */
export function getStateAgent(
  { agent, agents }: AgentsOfJob,
  state: { readonly agent?: string | undefined },
): AgentDefinition {
  const { agent: name } = state;
  if (name === undefined || name === agent.name) return agent;
  const named = agents?.[name];
  if (!named) throw new Error(`the job has no definition of the agent ${name}, which its workflow names`);
  return named.definition;
}

/** The definitions of all agents of a job, that of the job first. */
export function listAgents({ agent, agents = {} }: AgentsOfJob): readonly AgentDefinition[] {
  return [agent, ...Object.values(agents).map(({ definition }) => definition)];
}
