import type { ConfidenceBand } from '../confidence/confidence-band.js';
import type { InteractionPolicy, PolicyOverrides } from './interaction-policy.js';

/** A question that a tool wants to ask. Questions about preferences and approvals do not count towards the limit of a turn. */
export interface CandidateQuestion {
  readonly text: string;
  readonly purpose: 'fact' | 'preference' | 'approval';
  /** Value that is recorded as an assumption if the question is not asked. */
  readonly assumption: string;
  /** Whether the plan cannot be made without the answer. */
  readonly isBlocking: boolean;
}

export interface QuestionSelection {
  readonly asked: readonly CandidateQuestion[];
  /** Facts that become recorded assumptions. */
  readonly assumed: readonly CandidateQuestion[];
}

/**
 * Divides the questions of one turn into those that are asked and those that are answered by assumptions. At most `probingDepth` facts are
 * asked, blocking ones first, and only those that the autonomy does not let the planner answer itself.
 */
export function selectQuestions(
  { autonomy, probingDepth }: Pick<InteractionPolicy, 'autonomy' | 'probingDepth'>,
  questions: readonly CandidateQuestion[],
  band: ConfidenceBand,
): QuestionSelection {
  const facts = questions.filter(({ purpose }) => purpose === 'fact');
  const wanted = facts.filter(({ isBlocking }) => isBlocking || decidesPerson(autonomy, 'answer_fact', band));
  const byUrgency = [...wanted.filter((one) => one.isBlocking), ...wanted.filter((one) => !one.isBlocking)];
  const chosen = new Set(byUrgency.slice(0, probingDepth));
  return {
    asked: questions.filter((question) => question.purpose !== 'fact' || chosen.has(question)),
    assumed: facts.filter((question) => !chosen.has(question)),
  };
}

/** What the planner can decide itself or ask the person. Approvals are not among them: no autonomy skips them. */
export type PlannerDecision = 'answer_fact' | 'choose_option' | 'apply_fix';

/**
 * Whether the person decides. High autonomy: never. Medium: facts and options, when the confidence of the stage is in the retry band. Low: also
 * before any option is chosen and before a suggested fix is applied.
 */
export function decidesPerson(
  autonomy: InteractionPolicy['autonomy'],
  decision: PlannerDecision,
  band: ConfidenceBand,
): boolean {
  if (autonomy === 'high') return false;
  if (decision === 'apply_fix') return autonomy === 'low';
  return band === 'retry' || (autonomy === 'low' && decision === 'choose_option');
}

/**
 * Whether PreferenceProbe asks "concise or conversational?": once per user, and only while the style is unset in the lasting preferences and
 * in the session.
 */
export function shouldAskStyle(
  preferences: PolicyOverrides,
  overrides: readonly PolicyOverrides[],
  wasAsked: boolean,
): boolean {
  return !wasAsked && [preferences, ...overrides].every(({ conversationStyle }) => conversationStyle === undefined);
}
