import { offeredTools, type AgentDefinition } from '../agent/agent-definition.js';
import type { PhaseKind, WorkflowState } from '../workflow/workflow.js';
import { onDemandOf } from './on-demand-tools.js';

/** The tools of a phase as its first event names them. An agent that has none on demand is told nothing of it. */
export function offeredIn(
  agent: AgentDefinition,
  kind: PhaseKind,
  state: WorkflowState,
): { tools: string[]; onDemand?: string[] } {
  const tools = [...offeredTools(agent, kind, state)];
  const onDemand = [...onDemandOf(agent, tools)];
  return { tools, ...(onDemand.length > 0 ? { onDemand } : {}) };
}
