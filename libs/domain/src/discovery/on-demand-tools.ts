import type { AgentDefinition } from '../agent/agent-definition.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';

/** Finds tools on demand; offered wherever there are any. */
export const SEARCH_TOOLS = 'search_tools';

/** Which of the tools that a phase offers are found on demand: those that the agent names, and all of MCP servers that it marks so. */
export function onDemandOf({ tools, settings }: AgentDefinition, offered: readonly string[]): readonly string[] {
  const servers = Object.values(settings?.mcp?.servers ?? {}).filter(({ onDemand }) => onDemand);
  const named = new Set([
    ...(tools.onDemand ?? []),
    ...servers.flatMap(({ tools: listed = [] }) => listed.map(({ offeredAs }) => offeredAs)),
  ]);
  return offered.filter((name) => named.has(name));
}

/** The tools that are in the prompt: what is always there, and behind it what was found, in the order in which it was found. */
export function toolsInPrompt({ start, loaded = [] }: PhaseState): readonly string[] {
  const { tools, onDemand = [] } = start;
  if (onDemand.length === 0) return tools;
  const hidden = new Set(onDemand);
  const found = loaded.filter((name) => hidden.has(name));
  return [...tools.filter((name) => !hidden.has(name)), ...found];
}

/** Whether the phase offers a tool that it has not found yet. */
export function isUnloaded({ start, loaded = [] }: PhaseState, name: string): boolean {
  return (start.onDemand ?? []).includes(name) && !loaded.includes(name);
}

/**
 * A call to a tool on demand that was not found yet is refused, because its arguments were guessed. Its name was right, though,
 * so it is loaded all the same: the model sees what it takes and calls again, a search the less.
 */
export function loadedByName(state: PhaseState, events: readonly PhaseEvent[]): readonly PhaseEvent[] {
  const wanted = events.flatMap((event) =>
    event.type === 'ToolCallDenied' && event.data.code === 'not_offered' && isUnloaded(state, event.data.name)
      ? [event.data]
      : [],
  );
  const first = wanted[0];
  if (!first) return [];
  return [{ type: 'ToolsLoaded', data: { callId: first.callId, names: [...new Set(wanted.map(({ name }) => name))] } }];
}

/** What is loaded behind an event, each tool once, in the order in which it was found. */
export function withLoaded(loaded: readonly string[] = [], names: readonly string[]): readonly string[] {
  return [...new Set([...loaded, ...names])];
}
