import { DEFAULT_APPROVAL_EXPIRY_MS, getAdmittedCall, type GuardWait } from '@phaseline/domain';
import type { AdmissionParts } from '../call/admit-guarded.js';
import type { PendingCommit } from '../step/pending-commit.js';
import { continueAdmission } from './decide-admission.js';
import { continueEndedCall } from './decide-ended-call.js';

/** Does what follows from the decisions of guards that were awaited about a call. */
export async function settleGuards(
  commit: PendingCommit,
  wait: GuardWait,
  { source, tools }: AdmissionParts,
): Promise<void> {
  const { state, now } = commit;
  const { callId, point } = wait;
  if (callId === undefined) throw new Error(`nothing follows from guards at ${point} that are asked about no call`);
  const call = getAdmittedCall(state.calls, callId);
  const expireAfterMs = state.start.terms.approvals?.expireAfterMs ?? DEFAULT_APPROVAL_EXPIRY_MS;
  const expiresAt = new Date(now.getTime() + expireAfterMs).toISOString();
  const events = await source.decideCallGuards(state, { callId, after: wait }, () =>
    call.status === 'awaiting-guards'
      ? continueAdmission(commit, wait, call, tools, expiresAt)
      : continueEndedCall(commit, wait),
  );
  commit.record(...events);
}
