import { ANY_TOOL, type ForkMode, type ToolSettings, type ToolSpec, type Unrecorded } from '@phaseline/contracts';
import { listOfferedTools } from '../agent/list-offered-tools.js';
import { getStateAgent } from '../agent/state-agents.js';
import type { JobDefinition } from '../job/job-state.js';
import { canRunUnrecorded, getPolicyOfTool } from './unrecorded-policy.js';

/** Finds the spec of a tool with the settings of an agent. */
export type FindToolSpec = (name: string, settings: ToolSettings) => ToolSpec | undefined;

/**
 * Returns why a fork cannot have these policies; `undefined` if it can. Each tool must be one that its phases offer, and each that would run one
 * that changes nothing outside the log.
 */
export function findUnrecordedProblem(
  unrecorded: Unrecorded,
  mode: ForkMode,
  definition: JobDefinition,
  findTool: FindToolSpec,
): string | undefined {
  if (mode === 'live')
    return 'a live fork replays no results, so none is unrecorded; use the mode recorded or live-model';
  const offered = new Set<string>();
  const refused = new Set<string>();
  for (const state of Object.values(definition.workflow.states)) {
    const agent = getStateAgent(definition, state);
    for (const name of listOfferedTools(agent, state.kind, state)) {
      offered.add(name);
      if (getPolicyOfTool(unrecorded, name) !== 'run') continue;
      const spec = findTool(name, agent.settings ?? {});
      if (!spec || !canRunUnrecorded({ name, effect: spec.effect })) refused.add(name);
    }
  }
  const unknown = Object.keys(unrecorded).filter((name) => name !== ANY_TOOL && !offered.has(name));
  if (unknown.length > 0) return `the agent has no tool named ${unknown.join(', ')}`;
  if (refused.size === 0) return undefined;
  return `only tools that are declared pure can run without a recorded result; set another policy for ${[...refused].join(', ')}`;
}
