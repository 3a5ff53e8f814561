import type { Workflow } from '@phaseline/domain';
import type { LoadedAgent } from '../agent/load-agent.js';
import type { DefinitionProblem } from '../definition-errors.js';
import { suggestNear } from './near-matches.js';

/** A workflow as it was read, with a function that reports a problem at a path in its file. */
export interface ReadWorkflow {
  readonly definition: Workflow;
  problemAt(path: readonly PropertyKey[], message: string): DefinitionProblem;
}

/** Checks that the agents that states name exist, and that they say what they return. `names` are those of all agents, also of broken ones. */
export function checkStateAgents(
  { definition, problemAt }: ReadWorkflow,
  names: readonly string[],
  agents: { find(name: string): LoadedAgent | undefined },
): readonly DefinitionProblem[] {
  return Object.entries(definition.states).flatMap(([state, { agent: name }]) => {
    if (name === undefined) return [];
    const path = ['states', state, 'agent'];
    if (!names.includes(name)) {
      return [problemAt(path, `${path.join('.')}: there is no agent '${name}'${suggestNear(name, names)}`)];
    }
    const agent = agents.find(name);
    if (!agent || agent.definition.returns) return [];
    return [
      problemAt(
        path,
        `${path.join('.')}: the agent '${name}' has no 'returns' in its agent.yaml, and the phases of this state end with a return`,
      ),
    ];
  });
}
