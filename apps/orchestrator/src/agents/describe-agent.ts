import type { AgentDetail, AgentList } from '@phaseline/client';
import { findWarnings, type DefinitionProblem, type LoadedAgent } from '@phaseline/definitions';
import { getDeliverablePath, listToolGroups, type Workflow } from '@phaseline/domain';

/** Builds the entry of an agent in the list. */
export function summariseAgent(
  { name, definition, hash }: LoadedAgent,
  isOutdated: boolean,
): AgentList['items'][number] {
  const { displayName, description, workflow, deliverables, startWhen, requires, budgets } = definition;
  return {
    ...{ name, displayName, description, workflow, budgets, hash },
    deliverables: deliverables.map(getDeliverablePath),
    ...(startWhen ? { startWhen } : {}),
    ...(requires ? { requires } : {}),
    ...(isOutdated ? { isOutdated: true as const } : {}),
  };
}

/** Builds the description of an agent with everything that new jobs of it get. */
export function describeAgent(
  agent: LoadedAgent,
  about: {
    readonly workflow: Workflow;
    readonly isOutdated: boolean;
    readonly problems: readonly DefinitionProblem[];
  },
): AgentDetail {
  const { guards = [], ...definition } = agent.definition;
  return {
    ...summariseAgent(agent, about.isOutdated),
    file: agent.file,
    extends: [...agent.extends],
    models: definition.models,
    tools: Object.fromEntries(listToolGroups(agent.definition).map(([group, names]) => [group, [...names]])),
    approvals: definition.approvals.tools,
    guards: guards.map(({ name, kind, stage, owner }) => ({ name, kind, stage, owner })),
    instructions: agent.instructions,
    definition,
    problems: [...about.problems],
    warnings: [...findWarnings(agent, about.workflow)],
  };
}
