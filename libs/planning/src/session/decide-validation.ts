import type { ValidationOutcome } from '../grammar/validate-artifact.js';
import type { Violation } from '../grammar/violation.js';
import { needsApproval, type ApprovalSubject } from '../policy/approval-cadence.js';
import { countAttempt, listInstructions } from './assess-draft.js';
import { type Decision, waitForPerson } from './decision.js';
import type { Choice } from './pending-question.js';
import type { PlanSession } from './plan-session.js';
import { getNextStage, type DraftStage } from './plan-stage.js';

export type ValidatedOutcome = 'valid' | 'needs_approval' | 'invalid_retryable' | 'invalid_fatal' | 'infeasible';

/** A validated artifact, or a schedule that was not found. */
export interface ValidatedDraft {
  readonly stage: DraftStage;
  readonly hash: string;
  readonly outcome: ValidationOutcome;
  readonly violations: readonly Violation[];
  /** Why there is no schedule, and what would help. */
  readonly conflict?: {
    readonly code: 'infeasible' | 'search_limit';
    readonly text: string;
    readonly choices: readonly Choice[];
  };
}

/** Problems that one question names. */
const MAX_PROBLEMS = 10;

/** Decides what follows from a validation. The outcomes are those of the document; `needs_approval` is `valid` where the policy asks first. */
export function decideValidation(session: PlanSession, draft: ValidatedDraft): Decision<ValidatedOutcome> {
  const { stage, outcome, conflict } = draft;
  const checked: PlanSession = { ...session, violations: [...draft.violations] };
  if (conflict) {
    const pending = {
      ...{ kind: 'infeasible' as const, code: conflict.code, conflict: conflict.text },
      choices: [...conflict.choices],
    };
    return { outcome: 'infeasible', session: waitForPerson(checked, pending, conflict.text) };
  }
  if (outcome === 'valid') return acceptDraft(checked, draft);
  const invalid = session.attempts[stage].invalid + 1;
  const counted = countAttempt(checked, stage, { invalid });
  if (outcome === 'invalid_fatal' || invalid > session.settings.RETRY_LIMIT_PER_STAGE) return giveUp(counted, draft);
  const instructions = listInstructions(draft.violations);
  return { outcome: 'invalid_retryable', session: { ...counted, instructions, narrowed: true } };
}

function giveUp(session: PlanSession, { stage, violations }: ValidatedDraft): Decision<ValidatedOutcome> {
  const problems = [...new Set(violations.map(({ message }) => message))].slice(0, MAX_PROBLEMS);
  const pending = { kind: 'invalid' as const, stage, problems };
  return { outcome: 'invalid_fatal', session: waitForPerson(session, pending, `The ${stage} is invalid.`) };
}

function acceptDraft(session: PlanSession, { stage, hash }: ValidatedDraft): Decision<ValidatedOutcome> {
  const accepted: PlanSession = { ...session, instructions: [], narrowed: false };
  const approval = findApproval(accepted, stage, hash);
  if (approval) return { outcome: 'needs_approval', session: { ...accepted, approval, stage: 'approval' } };
  return { outcome: 'valid', session: { ...accepted, stage: getNextStage(stage) } };
}

/** What has to be approved after a stage: first the structural changes that nobody approved, then its artifact. */
export function findApproval(
  { policy: { approvalPolicy }, adaptations }: PlanSession,
  stage: DraftStage,
  hash: string,
): { readonly subject: ApprovalSubject; readonly hash: string } | undefined {
  const change = adaptations.find(({ isApproved }) => !isApproved);
  if (change && needsApproval(approvalPolicy, 'adaptation')) return { subject: 'adaptation', hash: change.hash };
  return needsApproval(approvalPolicy, stage) ? { subject: stage, hash } : undefined;
}
