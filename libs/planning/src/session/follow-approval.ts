import { assertNever } from '@phaseline/basics';
import type { ArtifactKind } from '../artifacts/adaptation-log-entry.js';
import type { ApprovalSubject } from '../policy/approval-cadence.js';
import { boundText, toInstructions } from './bound-text.js';
import { continueWork, type Decision, waitForPerson } from './decision.js';
import { findApproval } from './decide-validation.js';
import { addMessage, type PlanSession, resetAttempts } from './plan-session.js';
import { draftStages, getNextStage, type DraftStage } from './plan-stage.js';

const UNCHECKED = 'Your other plans could not be read, so the schedule is not complete yet. You are asked again.';

/** Conflicts that the next draft is told. */
const MAX_INSTRUCTIONS = 20;

/** Outcomes of a request for approval. The document calls those with the name of a stage `approved` and `rejected`. */
export type ApprovalOutcome =
  | 'approved'
  | 'approved_to_outline'
  | 'approved_to_roadmap'
  | 'approved_to_schedule'
  | 'approved_to_approval'
  | 'rejected_to_context'
  | 'rejected_to_outline'
  | 'rejected_to_roadmap'
  | 'rejected_to_schedule'
  | 'no_response';

/** How a request for approval ended. */
export type ApprovalEnd =
  | { readonly kind: 'approved' }
  /** It was approved, but other plans of the person have taken its time since it was made. */
  | { readonly kind: 'overtaken'; readonly conflicts: readonly string[] }
  /** It was approved, but the other plans of the person could not be read. */
  | { readonly kind: 'unchecked' }
  | { readonly kind: 'rejected'; readonly text: string }
  | { readonly kind: 'no_response' };

/**
 * Decides what follows from a request for approval. An approved part leads to the stage after it, and the final request completes the plan. A
 * rejection leads to the stage that made the part, with the words of the person, and all counters begin again. A schedule whose time another plan has
 * taken meanwhile is made again around that plan, and then asked about again, as is one for which nobody knows whether that happened.
 */
export function followApproval(session: PlanSession, end: ApprovalEnd): Decision<ApprovalOutcome> {
  const { approval } = session;
  if (!approval) throw new Error('nothing waits for an approval');
  switch (end.kind) {
    case 'approved':
      return followApproved(session, approval.subject, approval.hash);
    case 'rejected':
      return followRejected(session, approval.subject, approval.hash, end.text);
    case 'overtaken':
      return followOvertaken(session, end.conflicts);
    case 'unchecked':
      return { outcome: 'approved_to_approval', session: addMessage(session, 'planner', UNCHECKED) };
    case 'no_response': {
      const pending = { kind: 'no_response' as const };
      return { outcome: 'no_response', session: waitForPerson(session, pending, 'Nobody answered in time.') };
    }
    default:
      return assertNever(end);
  }
}

function followApproved(session: PlanSession, subject: ApprovalSubject, hash: string): Decision<ApprovalOutcome> {
  const { approval: _approved, ...rest } = hearReply(session, 'approve');
  switch (subject) {
    case 'goal':
      return { outcome: 'approved_to_outline', session: { ...rest, stage: 'outline' } };
    case 'outline':
      return { outcome: 'approved_to_roadmap', session: { ...rest, stage: 'roadmap' } };
    case 'roadmap':
      return { outcome: 'approved_to_schedule', session: { ...rest, stage: 'schedule' } };
    case 'schedule':
      return {
        outcome: 'approved',
        session: { ...rest, planningStatus: 'complete', responseText: 'The schedule is approved.' },
      };
    case 'adaptation':
      return followAdaptation(rest, hash);
    default:
      return assertNever(subject);
  }
}

/** After an approved change, the next one is asked about, or the artifact of the stage that was validated last. */
function followAdaptation(session: PlanSession, hash: string): Decision<ApprovalOutcome> {
  const adaptations = session.adaptations.map((one) => (one.hash === hash ? { ...one, isApproved: true } : one));
  const rest: PlanSession = { ...session, adaptations };
  const stage = findLastDraft(rest);
  const approval = findApproval(rest, stage, rest.hashes[stage]!);
  if (approval) return { outcome: 'approved_to_approval', session: { ...rest, approval, stage: 'approval' } };
  const next = getNextStage(stage);
  return { outcome: toApproved(next), session: { ...rest, stage: next } };
}

/** Returns the session that continues, with the request and the reply in its conversation. All counters begin again. */
function hearReply(session: PlanSession, reply: string): PlanSession {
  return addMessage(addMessage(resetAttempts(continueWork(session)), 'planner', session.responseText), 'person', reply);
}

function followRejected(
  session: PlanSession,
  subject: ApprovalSubject,
  hash: string,
  text: string,
): Decision<ApprovalOutcome> {
  const stage = findRejectedStage(session, subject, hash);
  const { approval: _rejected, ...rest } = hearReply(session, text);
  const heard = { ...rest, stage, narrowed: false, hasFeedback: true, instructions: toInstructions(text) };
  // The rejected change is not asked about again: the draft that follows makes its own.
  const adaptations = heard.adaptations.filter((one) => one.hash !== hash);
  return { outcome: toRejected(stage), session: { ...heard, adaptations } };
}

function followOvertaken(session: PlanSession, conflicts: readonly string[]): Decision<ApprovalOutcome> {
  const { approval: _overtaken, ...rest } = resetAttempts(continueWork(session));
  const responseText = boundText(
    `The schedule is approved, but not complete: another plan of yours has taken its time. ${conflicts.join(' ')} It is made again around that plan.`,
  );
  const instructions = [...new Set(conflicts.map(boundText))].slice(0, MAX_INSTRUCTIONS);
  const redrafted: PlanSession = { ...rest, stage: 'schedule', narrowed: false, instructions, responseText };
  return { outcome: 'rejected_to_schedule', session: addMessage(redrafted, 'planner', responseText) };
}

function findRejectedStage(session: PlanSession, subject: ApprovalSubject, hash: string): RedraftStage {
  switch (subject) {
    case 'goal':
      return 'context';
    case 'outline':
    case 'schedule':
      // The schedule is the final request, whose rejection concerns the whole plan.
      return 'outline';
    case 'roadmap':
      return 'roadmap';
    case 'adaptation':
      return toStage(session.adaptations.find((one) => one.hash === hash)?.entry.artifact ?? 'outline');
    default:
      return assertNever(subject);
  }
}

/** Stages to which a person can send a plan back. */
type RedraftStage = 'context' | DraftStage;

/** The stage that made a change: a context changes after its own stage only while an outline is drafted. */
function toStage(artifact: ArtifactKind): RedraftStage {
  return artifact === 'context' ? 'outline' : artifact;
}

/** The last draft stage of which there is an artifact. */
function findLastDraft({ hashes }: PlanSession): DraftStage {
  return draftStages.findLast((stage) => hashes[stage] !== undefined) ?? 'outline';
}

function toApproved(stage: ReturnType<typeof getNextStage>): ApprovalOutcome {
  return stage === 'approval' ? 'approved' : `approved_to_${stage}`;
}

function toRejected(stage: RedraftStage): ApprovalOutcome {
  return `rejected_to_${stage}`;
}
