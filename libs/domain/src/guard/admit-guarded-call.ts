import type { JsonObject } from '@phaseline/basics';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import type { GuardRef } from './guard-events.js';

/** What guards decided together about a call that passed the checks of admission. */
export type GuardedAdmission =
  | { readonly kind: 'deny'; readonly by: GuardRef; readonly reason: string; readonly suggest?: string }
  | ({ readonly kind: 'ask'; readonly by: GuardRef; readonly reason: string } & AdmissionChanges)
  | ({ readonly kind: 'allow' } & AdmissionChanges);

interface AdmissionChanges {
  /** Arguments that replace those of the model. */
  readonly amended?: { readonly arguments: JsonObject; readonly by: readonly GuardRef[]; readonly reason: string };
  /** Texts that the model reads with the result. */
  readonly context: readonly string[];
}

type Admitted = Extract<PhaseEvent, { readonly type: 'ToolCallRequested' | 'ApprovalRequested' }>;

/** Time that a person has to decide about a call if the agent does not say it: one day. */
export const DEFAULT_APPROVAL_EXPIRY_MS = 86_400_000;

/**
 * Applies the decision of guards to a call that was admitted: it is denied, waits for a person, or runs with the arguments that the guards
 * demand. A call that waits for a person anyway keeps waiting: a guard that allows it does not replace the person.
 */
export function admitGuardedCall(
  admitted: Admitted,
  decision: GuardedAdmission,
  { start }: PhaseState,
  now: Date,
): PhaseEvent {
  const { data } = admitted;
  if (decision.kind === 'deny') {
    const { callId, step, name, parent } = data;
    return {
      type: 'ToolCallDenied',
      data: {
        callId,
        step,
        name,
        code: 'guard_denied',
        message: renderDenial(decision),
        ...(parent === undefined ? {} : { parent }),
      },
    };
  }
  const notes = [...(decision.amended ? [renderAmendment(decision.amended)] : []), ...decision.context];
  const changed = {
    ...data,
    ...(decision.amended ? { arguments: decision.amended.arguments } : {}),
    ...(notes.length > 0 ? { guardNotes: notes } : {}),
  };
  if (decision.kind === 'allow') return { ...admitted, data: changed } as Admitted;
  const expiresAt =
    admitted.type === 'ApprovalRequested'
      ? admitted.data.expiresAt
      : new Date(now.getTime() + (start.terms.approvals?.expireAfterMs ?? DEFAULT_APPROVAL_EXPIRY_MS)).toISOString();
  const reason = `${decision.reason} (guard ${decision.by.name})`;
  return { type: 'ApprovalRequested', data: { ...changed, expiresAt, reason } };
}

function renderDenial({ by, reason, suggest }: Extract<GuardedAdmission, { readonly kind: 'deny' }>): string {
  return `Call denied by the guard ${by.name}: ${reason}${suggest === undefined ? '' : `\n${suggest}`}`;
}

function renderAmendment({ by, reason }: NonNullable<AdmissionChanges['amended']>): string {
  return `The guard ${by.map(({ name }) => name).join(' and ')} changed the arguments of this call: ${reason}`;
}
