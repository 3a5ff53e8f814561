import type { AgentDefinition } from '../agent/agent-definition.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';

/** Name of the tool that searches for tools on demand. It is offered if the agent has any. */
export const SEARCH_TOOLS = 'search_tools';

/** Which of the offered tools are found on demand: those named by the agent, and all tools of MCP servers marked `onDemand`. */
export function listOnDemandTools({ tools, settings }: AgentDefinition, offered: readonly string[]): readonly string[] {
  const servers = Object.values(settings?.mcp?.servers ?? {}).filter(({ onDemand }) => onDemand);
  const named = new Set([
    ...(tools.onDemand ?? []),
    ...servers.flatMap(({ tools: listed = [] }) => listed.map(({ offeredName }) => offeredName)),
  ]);
  return offered.filter((name) => named.has(name));
}

/** The tools in the prompt: those always included, then those found, in the order in which they were found. */
export function listToolsInPrompt({ start, conversation: { loadedTools = [] } }: PhaseState): readonly string[] {
  const { tools, onDemand = [] } = start.terms;
  if (onDemand.length === 0) return tools;
  const hidden = new Set(onDemand);
  const found = loadedTools.filter((name) => hidden.has(name));
  return [...tools.filter((name) => !hidden.has(name)), ...found];
}

/** Whether the tool is on demand and has not been found yet. */
export function isUnloaded({ start, conversation: { loadedTools = [] } }: PhaseState, name: string): boolean {
  return (start.terms.onDemand ?? []).includes(name) && !loadedTools.includes(name);
}

/**
 * Loads tools on demand that were called before they were found. Such a call is denied because its arguments were guessed,
 * but its name was right: the model then sees the parameters and calls again without a search.
 */
export function loadNamedTools(state: PhaseState, events: readonly PhaseEvent[]): readonly PhaseEvent[] {
  const wanted = events.flatMap((event) =>
    event.type === 'ToolCallDenied' && event.data.code === 'not_offered' && isUnloaded(state, event.data.name)
      ? [event.data]
      : [],
  );
  const first = wanted[0];
  if (!first) return [];
  return [{ type: 'ToolsLoaded', data: { callId: first.callId, names: [...new Set(wanted.map(({ name }) => name))] } }];
}
