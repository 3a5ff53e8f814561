import type { AgentDefinition } from '../agent/agent-definition.js';
import { listOfferedTools } from '../agent/list-offered-tools.js';
import type { PhaseKind, WorkflowState } from '../workflow/workflow.js';
import { listOnDemandTools } from './on-demand-tools.js';

/** The tools of a phase for its `PhaseStarted` event. `onDemand` is absent if the agent has no tools on demand. */
export function selectOfferedTools(
  agent: AgentDefinition,
  kind: PhaseKind,
  state: WorkflowState,
): { tools: string[]; onDemand?: string[] } {
  const tools = [...listOfferedTools(agent, kind, state)];
  const onDemand = [...listOnDemandTools(agent, tools)];
  return { tools, ...(onDemand.length > 0 ? { onDemand } : {}) };
}
