import type { PhaseEvent, PhaseState } from '@phaseline/domain';
import type { ToolRegistry } from '@phaseline/tools';

/** Name in metrics of the tools that are known from configuration only, such as those of MCP servers, and of those that a model invented. */
const OTHER_TOOL = '(other)';

interface EndedCall {
  readonly tool: string;
  readonly outcome: 'completed' | 'failed' | 'denied';
}

/**
 * Lists the tool calls that the events ended, for metrics. `state` is the phase after the events. Names are those of the tools in the
 * code, so that the number of series is bounded.
 */
export function listEndedCalls(
  state: PhaseState,
  events: readonly PhaseEvent[],
  tools: Pick<ToolRegistry, 'find'>,
): EndedCall[] {
  return events.flatMap(({ type, data }): EndedCall[] => {
    const outcome = type in outcomes ? outcomes[type as keyof typeof outcomes] : undefined;
    if (outcome === undefined || !('callId' in data) || data.callId === undefined) return [];
    const name = state.calls.byId[data.callId]?.name;
    return [{ tool: name !== undefined && tools.find(name) ? name : OTHER_TOOL, outcome }];
  });
}

const outcomes = { ToolCallCompleted: 'completed', ToolCallFailed: 'failed', ToolCallDenied: 'denied' } as const;
