import type { JobState } from '@phaseline/domain';
import type { ResolvedAgent } from './ports.js';

/** The part of a resolved agent that a job records: all definitions with their hashes. */
export function toJobDefinition(resolved: ResolvedAgent): JobState['definition'] {
  const { definition: agent, hash: agentHash, workflow, workflowHash, agents = [] } = resolved;
  const named = agents.map(({ definition, hash }) => [definition.name, { definition, hash }] as const);
  return {
    agent,
    agentHash,
    workflow,
    workflowHash,
    ...(named.length > 0 ? { agents: Object.fromEntries(named) } : {}),
  };
}
