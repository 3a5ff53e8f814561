import type { AgentsOfJob } from '../agent/state-agents.js';
import type { PhaseTree } from '../phase/state/tree.js';

/** File with the instructions of the agent that runs, and with the task of the job. */
export const INSTRUCTIONS_FILE = 'instructions.md';

/** Folder with the instructions of the agents that states of the workflow name. */
export const INSTRUCTIONS_DIRECTORY = 'instructions';

/** Path at which a job keeps the instructions of an agent that its workflow names. */
export function agentInstructionsPath(agent: string): string {
  return `${INSTRUCTIONS_DIRECTORY}/${agent}.md`;
}

/**
 * Exchanges `instructions.md` for the instructions of the agent that runs next, so that each agent finds its task in the same place. A file
 * that a person changed is kept: it then holds for all agents. `submitted` are the files with which the job began; `replaced` are hashes of
 * instructions that a fork has exchanged for them.
 */
export function showInstructions(
  tree: PhaseTree,
  submitted: PhaseTree,
  { agent, agents }: AgentsOfJob,
  name: string,
  replaced: readonly string[] = [],
): PhaseTree {
  if (!agents && replaced.length === 0) return tree;
  const own = submitted[INSTRUCTIONS_FILE];
  const named = Object.keys(agents ?? {}).map((other) => submitted[agentInstructionsPath(other)]);
  const current = tree[INSTRUCTIONS_FILE];
  const known = [...[own, ...named].map((entry) => entry?.hash), ...replaced];
  const isUnchanged = current !== undefined && known.includes(current.hash);
  const next = name === agent.name ? own : submitted[agentInstructionsPath(name)];
  return isUnchanged && next ? { ...tree, [INSTRUCTIONS_FILE]: next } : tree;
}
