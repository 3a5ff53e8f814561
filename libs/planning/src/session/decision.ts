import { clip } from '@phaseline/basics';
import { boundText } from './bound-text.js';
import type { PendingQuestion } from './pending-question.js';
import { MAX_MESSAGE_CHARACTERS, type PlanSession } from './plan-session.js';
import { renderQuestion } from './render-question.js';

/** What follows from a stage. Without an outcome, the stage continues, and `message` tells the model what to change. */
export interface Decision<Outcome extends string> {
  readonly session: PlanSession;
  readonly outcome?: Outcome;
  readonly message?: string;
}

/** Returns the session that waits for its person. `reason` says why, for callers that cannot ask the person at once. */
export function waitForPerson(session: PlanSession, pending: PendingQuestion, reason: string): PlanSession {
  const planningStatus = pending.kind === 'infeasible' ? 'needs_scheduling_escalation' : 'needs_clarification';
  const responseText = clip(renderQuestion(pending), MAX_MESSAGE_CHARACTERS - 1);
  return { ...session, pending, planningStatus, responseText, escalateReason: boundText(reason) };
}

/** Returns the session that continues its work. */
export function continueWork(session: PlanSession): PlanSession {
  const { pending: _answered, escalateReason: _over, ...rest } = session;
  return { ...rest, planningStatus: 'in_progress' };
}
