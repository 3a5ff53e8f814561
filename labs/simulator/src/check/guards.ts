import type { PhaseEvent } from '@phaseline/domain';
import type { RunResult } from '../run/world.js';
import { readJobLogs, type PhaseLog } from './streams.js';

/**
 * Checks that guards that were awaited are settled once, that no call of a guarded tool is admitted before its hook was asked, and that a denied
 * call has no effect.
 */
export function* checkGuards(remains: RunResult): Iterable<string> {
  for (const { agent, jobId, phases } of readJobLogs(remains)) {
    for (const log of phases) {
      if (!log.state.start.terms.guards) continue;
      const where = `${agent} phase ${log.phase}`;
      for (const problem of [...findUnsettled(log), ...findUnasked(log)]) yield `${where}: ${problem}`;
      const denied = new Set(log.events.flatMap(({ event }) => (isDenial(event) ? [event.data.callId] : [])));
      for (const effect of remains.effects)
        if (effect.jobId === jobId && effect.tool === 'charge' && denied.has(effect.callId))
          yield `${where}: ${effect.callId} took effect although a guard denied it`;
    }
  }
}

function* findUnsettled({ events, state }: PhaseLog): Iterable<string> {
  const open = new Set<string>();
  const seen = new Set<string>();
  for (const { event } of events) {
    if (event.type !== 'GuardsAwaited' && event.type !== 'GuardsSettled') continue;
    const { point, callId, round } = event.data;
    const key = `${point} of ${callId} in round ${round}`;
    if (event.type === 'GuardsAwaited') {
      if (seen.has(key)) yield `${key} was awaited twice`;
      seen.add(key);
      open.add(key);
    } else if (!open.delete(key)) yield `${key} was settled although nothing waited for it`;
  }
  if (state.end?.kind === 'completed') for (const key of open) yield `${key} was never settled`;
}

function* findUnasked({ events }: PhaseLog): Iterable<string> {
  const settled = new Set<string | undefined>();
  for (const { event } of events) {
    if (event.type === 'GuardsSettled' && event.data.point === 'PreToolUse') settled.add(event.data.callId);
    if (event.type !== 'ToolCallRequested' && event.type !== 'ApprovalRequested') continue;
    if (event.data.name === 'charge' && !settled.has(event.data.callId))
      yield `${event.data.callId} was admitted before its guard was asked`;
  }
}

function isDenial(event: PhaseEvent): event is Extract<PhaseEvent, { readonly type: 'ToolCallDenied' }> {
  return event.type === 'ToolCallDenied' && event.data.code === 'guard_denied';
}
