import { listMcpToolNames } from '@phaseline/contracts';
import { listOnDemandTools, SEARCH_TOOLS } from '../discovery/on-demand-tools.js';
import type { PhaseKind, WorkflowState } from '../workflow/workflow.js';
import type { AgentDefinition } from './agent-definition.js';
import { SUBMIT_FEATURES } from '../item/item.js';
import { getReturningTool, PHASE_RETURN } from '../return/return-settings.js';
import { listsItems } from '../workflow/workflow.js';
import { READ_SKILL } from './skill.js';

/** Name of the tool that completes the job. It is offered only if the workflow's state has an outcome for it. */
const JOB_COMPLETE = 'job_complete';
/** Name of the tool that abandons the list. It is offered only if the workflow's state has an outcome for it. */
export const TODO_REWIND = 'todo_rewind';

/** Names of the tools that a phase offers: workspace tools, those of its kind, and domain tools in tactical phases only. A state may offer fewer. */
export function listOfferedTools(agent: AgentDefinition, kind: PhaseKind, state: WorkflowState): readonly string[] {
  const { workspace, strategic, tactical, domain } = agent.tools;
  const own = kind === 'strategic' ? [...workspace, ...strategic] : [...workspace, ...tactical, ...domain];
  const mcp = listMcpToolNames(agent.settings, kind, { unsafePhases: agent.unsafe?.phases ?? false });
  const names = [...own, ...(agent.skills?.length ? [READ_SKILL] : []), ...mcp];
  const returns = state.agent !== undefined && agent.returns !== undefined;
  const allowed = names.filter(
    (name) =>
      (state.tools?.includes(name) ?? true) &&
      name !== PHASE_RETURN &&
      name !== SUBMIT_FEATURES &&
      (name !== JOB_COMPLETE || state.completion !== undefined) &&
      (name !== TODO_REWIND || state.rewind !== undefined),
  );
  const offered = [...new Set([...allowed, ...(returns ? [getReturningTool(listsItems(state))] : [])])];
  return listOnDemandTools(agent, offered).length > 0 ? [...new Set([...offered, SEARCH_TOOLS])] : offered;
}
