import {
  ASK_PERSON,
  dueWork,
  planGuardRuns,
  type CallState,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import type { CallId } from '@phaseline/contracts';
import { listGuardsAt } from '@phaseline/guards';

/**
 * Builds the calls that tell hooks at Notification that the phase waits for a person, once per approval or question. Nothing waits for what they
 * answer: they only observe.
 */
export function notifyHooks(state: PhaseState): readonly PhaseEvent[] {
  const due = dueWork(state);
  if (due.kind !== 'approval' && due.kind !== 'question') return [];
  const guards = listGuardsAt(state.start.terms.guards ?? [], 'command', 'Notification');
  if (guards.length === 0) return [];
  const calls: readonly CallState[] = due.calls;
  return calls
    .filter(({ callId }) => !Object.hasOwn(state.calls.byId, `${buildId(callId)}_1`))
    .flatMap(
      (call) =>
        planGuardRuns(state, {
          id: buildId(call.callId),
          point: 'Notification',
          guards,
          occasion:
            call.name === ASK_PERSON
              ? { type: 'elicitation_dialog', title: 'Question', message: 'The agent asks a question.' }
              : {
                  type: 'permission_prompt',
                  title: 'Permission needed',
                  message: `A call of ${call.name} needs an approval.`,
                },
        }).requests,
    );
}

function buildId(callId: CallId): CallId {
  return `${callId}_notify`;
}
