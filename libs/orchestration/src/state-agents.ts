import { agentInstructionsPath, INSTRUCTIONS_FILE, type Workflow } from '@phaseline/domain';
import { getContentHash, type FileChange } from '@phaseline/workspace';
import type { ResolvedAgent, ResolvedDefinition } from './ports.js';
import { AgentsUnusable } from './submit-errors.js';

/** Names of the agents that states of a workflow name, each once, without the one of the job. */
export function listStateAgents({ states }: Workflow, own: string): readonly string[] {
  const names = Object.values(states).flatMap(({ agent }) => (agent === undefined || agent === own ? [] : [agent]));
  return [...new Set(names)];
}

/**
 * Checks that every agent that the workflow names was resolved and says what it returns, and that no two agents bring different files with
 * the same path. Throws AgentsUnusable.
 */
export function checkStateAgents({ definition, workflow, files = [], agents = [] }: ResolvedAgent): void {
  const byName = new Map([definition, ...agents.map((one) => one.definition)].map((one) => [one.name, one]));
  for (const [state, { agent: name }] of Object.entries(workflow.states)) {
    if (name === undefined) continue;
    const agent = byName.get(name);
    if (!agent) throw new AgentsUnusable(`the state ${state} names the agent ${name}, which was not found`);
    if (agent.returns) continue;
    throw new AgentsUnusable(
      `the state ${state} names the agent ${name}, which does not say what it returns; add 'returns' to its agent.yaml`,
    );
  }
  const owners = new Map<string, { readonly agent: string; readonly hash: string }>();
  for (const [agent, own] of [
    [definition.name, files] as const,
    ...agents.map((one) => [one.definition.name, one.files ?? []] as const),
  ]) {
    for (const { path, content } of own) {
      const hash = getContentHash(content);
      const other = owners.get(path);
      if (other && other.hash !== hash)
        throw new AgentsUnusable(
          `the agents ${other.agent} and ${agent} have different files ${path}; rename one of them`,
        );
      owners.set(path, { agent, hash });
    }
  }
}

/** Texts of the instructions of an agent and of those that its workflow names, by the path at which a job keeps them. */
export function listInstructions({ instructions, agents = [] }: ResolvedAgent): Readonly<Record<string, string>> {
  return {
    [INSTRUCTIONS_FILE]: instructions,
    ...Object.fromEntries(agents.map((one) => [agentInstructionsPath(one.definition.name), one.instructions])),
  };
}

/** The files of the other agents: their instructions, with the task of the job, and what else belongs to them. */
export function listStateAgentFiles(
  agents: readonly ResolvedDefinition[],
  addTask: (instructions: string) => string,
): readonly FileChange[] {
  const encoder = new TextEncoder();
  return agents.flatMap(({ definition, instructions, files = [] }) => [
    { path: agentInstructionsPath(definition.name), content: encoder.encode(addTask(instructions).toWellFormed()) },
    ...files,
  ]);
}
