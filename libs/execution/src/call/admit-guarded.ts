import { admitGuardedCall, type PhaseEvent } from '@phaseline/domain';
import type { GuardEvent } from '@phaseline/guards';
import type { ToolRegistry } from '@phaseline/tools';
import type { Clock, ResponseSource } from '../ports.js';
import { askPureGuards, toGuardDecided } from '../guards/ask-guards.js';
import type { PendingCommit } from '../step/pending-commit.js';

/** What admission uses. */
export interface AdmissionParts {
  readonly source: ResponseSource;
  readonly tools: ToolRegistry;
  readonly clock: Clock;
}

/**
 * Records an admission together with what the pure guards of the phase decide about it: `GuardDecided` for every decision that is not a
 * plain allow, then the call as denied, waiting for a person, or requested with the final arguments.
 */
export async function recordGuardedAdmission(
  commit: PendingCommit,
  admission: PhaseEvent,
  { source, tools, clock }: AdmissionParts,
): Promise<void> {
  const { state } = commit;
  const isAdmitted = admission.type === 'ToolCallRequested' || admission.type === 'ApprovalRequested';
  if (!isAdmitted || state.start.terms.guards === undefined) {
    commit.record(admission);
    return;
  }
  const { callId, name, arguments: args } = admission.data;
  const event: GuardEvent = { point: 'PreToolUse', callId, tool: name, arguments: args };
  const events = await source.admitCall(state, callId, async () => {
    const { merged, recorded } = await askPureGuards(commit, event, tools);
    const decided = recorded.map((decision) => toGuardDecided(event, decision));
    return [...decided, admitGuardedCall(admission, merged, state, clock.now())];
  });
  commit.record(...events);
}
