import type { StageConfidence } from '../confidence/compute-confidence.js';
import type { Violation } from '../grammar/violation.js';
import { decidesPerson } from '../policy/interview.js';
import { boundText } from './bound-text.js';
import { type Decision, waitForPerson } from './decision.js';
import type { PlanSession, StageAttempts } from './plan-session.js';
import type { DraftStage } from './plan-stage.js';

type DraftOutcome = 'success' | 'low_confidence' | 'escalate';

/** A draft with what is known about it. */
export interface AssessedDraft {
  readonly stage: DraftStage;
  readonly confidence: StageConfidence;
  readonly violations: readonly Violation[];
  /** Whether suggested fixes can still be applied to it. */
  readonly hasFixes: boolean;
}

/** What to do with a draft: an outcome, or its suggested fixes are applied and it is assessed again. */
export type DraftDecision = Decision<DraftOutcome> | { readonly session: PlanSession; readonly applyFixes: true };

/** Instructions that one draft can follow. */
const MAX_INSTRUCTIONS = 20;

/**
 * Decides how a draft stage ends. A confidence from `continueFrom` continues. In the band below it, the suggested fixes are applied once, and the
 * instructions are narrowed once; then more context is collected, once. Below that band, and whenever it is not enough, the person is asked.
 */
export function assessDraft(session: PlanSession, draft: AssessedDraft): DraftDecision {
  const assessed: PlanSession = { ...session, band: draft.confidence.band, violations: [...draft.violations] };
  const question = findQuestion(assessed, draft);
  if (question) return question;
  switch (draft.confidence.band) {
    case 'go_on':
      return { outcome: 'success', session: { ...assessed, instructions: [], narrowed: false } };
    case 'retry':
      return tryAgain(assessed, draft);
    case 'escalate':
      return escalate(assessed, draft);
  }
}

/** What the person decides before the draft is used: a proposal, an option, and whether fixes are applied. */
function findQuestion(session: PlanSession, draft: AssessedDraft): Decision<DraftOutcome> | undefined {
  const { stage } = draft;
  const { policy, proposal, options, chosenOption, band, questions } = session;
  if (stage === 'outline' && questions.length > 0) {
    // What the person said while the outline was drafted left open what no plan can be made without.
    const pending = { kind: 'uncertain' as const, stage, reason: boundText(questions.join(' ')) };
    const reason = 'A change of the plan leaves something open.';
    return { outcome: 'escalate', session: waitForPerson(session, pending, reason) };
  }
  if (stage === 'outline' && proposal) {
    const rfcText = proposal.pattern.rfc ?? 'No reason was given.';
    const pending = { kind: 'proposal' as const, rfcText, nearest: proposal.fallback.patternType };
    return { outcome: 'escalate', session: waitForPerson(session, pending, `A new pattern is proposed: ${rfcText}`) };
  }
  const asksOption = stage === 'roadmap' && options.length > 1 && chosenOption === undefined;
  if (asksOption && decidesPerson(policy.autonomy, 'choose_option', band)) {
    const choices = options.map(({ id, title, description }) => ({ id, title: boundText(`${title}: ${description}`) }));
    const pending = { kind: 'option' as const, stage, choices };
    return { outcome: 'escalate', session: waitForPerson(session, pending, 'The person chooses one of the options.') };
  }
  return undefined;
}

function tryAgain(session: PlanSession, draft: AssessedDraft): DraftDecision {
  const { stage, hasFixes, violations } = draft;
  const attempts = session.attempts[stage];
  if (!attempts.wasFixed && hasFixes) return applyFixes(session, draft);
  const instructions = listInstructions(violations);
  if (!attempts.wasNarrowed) {
    const narrowed = countAttempt({ ...session, instructions, narrowed: true }, stage, { wasNarrowed: true });
    return { session: narrowed, message: renderNarrowing(draft, instructions) };
  }
  if (attempts.wasReturned) return escalate(session, draft);
  const returned = countAttempt({ ...session, stage: 'context' }, stage, { wasReturned: true });
  return { outcome: 'low_confidence', session: returned };
}

/** Suggested fixes are applied, or the person is asked first. */
function applyFixes(session: PlanSession, { stage, violations }: AssessedDraft): DraftDecision {
  const counted = countAttempt(session, stage, { wasFixed: true });
  if (!decidesPerson(session.policy.autonomy, 'apply_fix', session.band)) return { session: counted, applyFixes: true };
  const fixes = violations.flatMap(({ remedy }) => (remedy.kind === 'fix' ? [remedy.description] : []));
  const pending = { kind: 'fixes' as const, stage, fixes: fixes.slice(0, MAX_INSTRUCTIONS) };
  return { outcome: 'escalate', session: waitForPerson(counted, pending, 'Suggested fixes wait for the person.') };
}

function escalate(session: PlanSession, { stage, confidence }: AssessedDraft): Decision<DraftOutcome> {
  const reason = `The confidence of the ${stage} is ${confidence.confidence.toFixed(2)}.`;
  return { outcome: 'escalate', session: waitForPerson(session, { kind: 'uncertain', stage, reason }, reason) };
}

/** Returns the session with a counted attempt of a stage. */
export function countAttempt(session: PlanSession, stage: DraftStage, change: Partial<StageAttempts>): PlanSession {
  return { ...session, attempts: { ...session.attempts, [stage]: { ...session.attempts[stage], ...change } } };
}

/** Lists what the next draft has to change, from the violations that have no fix. */
export function listInstructions(violations: readonly Violation[]): string[] {
  const texts = violations.flatMap(({ remedy }) => (remedy.kind === 'instruction' ? [remedy.text] : []));
  return [...new Set(texts)].slice(0, MAX_INSTRUCTIONS);
}

function renderNarrowing({ stage, confidence }: AssessedDraft, instructions: readonly string[]): string {
  const lines = instructions.map((text) => `- ${text}`);
  const first = `The confidence of the ${stage} is ${confidence.confidence.toFixed(2)}, which is too low to continue.`;
  if (lines.length === 0) return `${first} Draft it again, and leave out what you cannot justify.`;
  return [`${first} Draft it again, and change only this:`, ...lines].join('\n');
}
