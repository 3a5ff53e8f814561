import type { PhaseEvent } from '@phaseline/domain';
import type { ToolRegistry } from '@phaseline/tools';
import { decideAdmission } from '../guards/decide-admission.js';
import type { Clock, ResponseSource } from '../ports.js';
import type { PendingCommit } from '../step/pending-commit.js';

/** What admission uses. */
export interface AdmissionParts {
  readonly source: ResponseSource;
  readonly tools: ToolRegistry;
  readonly clock: Clock;
}

/**
 * Records an admission together with what the guards of the phase decide about it: `GuardDecided` for every decision that is not a plain
 * allow, then the call as denied, waiting for a person, requested with the final arguments, or waiting for guards that are not pure.
 */
export async function recordGuardedAdmission(
  commit: PendingCommit,
  admission: PhaseEvent,
  { source, tools }: AdmissionParts,
): Promise<void> {
  const { state } = commit;
  const isAdmitted = admission.type === 'ToolCallRequested' || admission.type === 'ApprovalRequested';
  if (!isAdmitted || state.start.terms.guards === undefined) {
    commit.record(admission);
    return;
  }
  const { callId } = admission.data;
  const moment = { callId, after: 'admission' as const };
  commit.record(...(await source.decideCallGuards(state, moment, () => decideAdmission(commit, admission, tools))));
}
