import { needsApproval } from '../policy/approval-cadence.js';
import { type Decision, waitForPerson } from './decision.js';
import type { PlanSession } from './plan-session.js';

export type ContextOutcome = 'sufficient_context' | 'needs_clarification' | 'needs_approval';

/**
 * Decides whether enough is known. The session has the questions that the person is to be asked in this turn; what is not asked has become an
 * assumption. The goal as understood is approved only if the policy says so.
 */
export function assessContext(session: PlanSession, contextHash: string): Decision<ContextOutcome> {
  const { questions } = session;
  if (questions.length > 0) {
    const pending = { kind: 'facts' as const, questions };
    return { outcome: 'needs_clarification', session: waitForPerson(session, pending, 'Facts are missing.') };
  }
  if (needsApproval(session.policy.approvalPolicy, 'goal')) {
    const approval = { subject: 'goal' as const, hash: contextHash };
    return { outcome: 'needs_approval', session: { ...session, approval, stage: 'approval' } };
  }
  return { outcome: 'sufficient_context', session: { ...session, stage: 'outline' } };
}
