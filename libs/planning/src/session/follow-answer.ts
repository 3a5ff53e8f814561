import { assertNever } from '@phaseline/basics';
import { getProposalKey } from '../patterns/proposal.js';
import { toInstructions } from './bound-text.js';
import { continueWork, type Decision } from './decision.js';
import type { PendingQuestion } from './pending-question.js';
import { addMessage, type PlanSession, resetAttempts } from './plan-session.js';
import type { PlanStage } from './plan-stage.js';

/** Outcomes of a question to the person. */
export type AnswerOutcome = 'to_context' | 'to_outline' | 'to_roadmap' | 'to_schedule' | 'to_approval' | 'stop';

/** The words by which a person ends the plan. */
const STOP = /^\s*(?:stop|cancel|abort|quit)\s*[.!]?\s*$/i;

/** Whether an answer ends the plan. */
export function isStop(answer: string): boolean {
  return STOP.test(answer);
}

/** Whether an answer approves a proposal. */
export function isApproved(answer: string): boolean {
  return answer.trim().toLowerCase() === 'approve';
}

/**
 * Decides where a plan continues after an answer. `changed` is the earliest stage whose artifact a chosen relaxation changed. The answer is a
 * message that every later stage sees.
 */
export function followAnswer(
  session: PlanSession,
  pending: PendingQuestion,
  answer: string,
  changed?: PlanStage,
): Decision<AnswerOutcome> {
  const heard = addMessage(session, 'person', answer);
  if (isStop(answer)) return { outcome: 'stop', session: { ...continueWork(heard), planningStatus: 'aborted' } };
  const stage = findStage(heard, pending, changed);
  const answered = resetAttempts(continueWork(applyAnswer(heard, pending, answer)));
  return { outcome: toOutcome(stage), session: { ...answered, stage, questions: [], hasFeedback: true } };
}

function findStage(session: PlanSession, pending: PendingQuestion, changed: PlanStage | undefined): PlanStage {
  switch (pending.kind) {
    case 'facts':
      return 'context';
    case 'invalid':
    case 'uncertain':
    case 'option':
    case 'fixes':
      return pending.stage;
    case 'proposal':
      return 'outline';
    case 'infeasible':
      return changed ?? 'outline';
    case 'no_response':
      return 'approval';
    case 'budget':
      return session.stage;
    default:
      return assertNever(pending);
  }
}

/** What an answer changes besides being a message. */
function applyAnswer(session: PlanSession, pending: PendingQuestion, answer: string): PlanSession {
  switch (pending.kind) {
    case 'proposal':
      return decideProposal(session, isApproved(answer));
    case 'option': {
      const wanted = answer.trim().toLowerCase();
      const chosen = pending.choices.find(
        ({ id, title }) => wanted === id.toLowerCase() || wanted === title.toLowerCase(),
      );
      // An answer that names no option is an instruction for the next options.
      if (!chosen) return { ...session, instructions: toInstructions(answer), options: [], narrowed: false };
      return { ...session, chosenOption: chosen.id, instructions: [`Use the option ${chosen.id}.`], narrowed: true };
    }
    case 'invalid':
    case 'uncertain':
    case 'infeasible':
      return { ...session, instructions: toInstructions(answer), narrowed: false };
    case 'facts':
    case 'fixes':
    case 'no_response':
    case 'budget':
      return session;
    default:
      return assertNever(pending);
  }
}

/** An approved proposal is the pattern of the plan; after a refusal, its nearest canonical pattern is, and it is not raised again. */
function decideProposal(session: PlanSession, wasApproved: boolean): PlanSession {
  const { proposal, ...rest } = session;
  if (!proposal) return session;
  const key = getProposalKey(proposal.pattern);
  if (!wasApproved)
    return { ...rest, selectedPattern: proposal.fallback, refusedProposals: [...rest.refusedProposals, key] };
  const patterns = proposal.definition ? [...rest.patterns, proposal.definition] : rest.patterns;
  return {
    ...rest,
    ...{ patterns, selectedPattern: proposal.pattern, approvedProposals: [...rest.approvedProposals, key] },
  };
}

function toOutcome(stage: PlanStage): AnswerOutcome {
  return `to_${stage}`;
}
