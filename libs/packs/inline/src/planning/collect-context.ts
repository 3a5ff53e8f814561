import {
  type CandidateQuestion,
  describeContextChange,
  type PlanContext,
  type PlanSession,
  resolvePolicy,
  selectQuestions,
  shouldAskStyle,
  toCamelCase,
} from '@phaseline/planning';
import { toCanonicalJson } from '@phaseline/basics';
import type { planningSpec } from '@phaseline/pack-specs';
import { ToolError } from '@phaseline/contracts';
import type { ToolInput } from '@phaseline/tools';
import { explainCause } from './explain-cause.js';
import { toJson } from './plan-work.js';
import { readPortfolioVersion } from './portfolio-file.js';
import { makePlanningTool } from './run-planning-tool.js';

type ContextInput = ToolInput<typeof planningSpec, 'context_elicitor'>;

/** The question of PreferenceProbe. */
export const STYLE_QUESTION = 'Do you prefer it concise or conversational?';

/**
 * Records what is known about the goal, and which questions the person is asked. While an outline is drafted, this is what words of the person change:
 * the change is logged, and only a question without which no plan can be made is asked.
 */
export const elicitContext = makePlanningTool('context_elicitor', async (work, input: ContextInput, { workspace }) => {
  const { session } = work;
  const candidates = (input.questions ?? []).map(toCandidate);
  const isDrafting = session.stage === 'outline';
  const { asked, assumed } = isDrafting
    ? { asked: candidates.filter(isNeeded), assumed: candidates.filter((one) => !isNeeded(one)) }
    : selectQuestions(session.policy, candidates, session.band);
  const texts = [...session.questions, ...asked.map(({ text }) => text)];
  work.session = { ...session, questions: [...new Set(texts)] };
  const before = work.artifacts.context;
  if (!before) throw new Error('an open session has a context');
  const portfolioVersion = await readPortfolioVersion(workspace);
  const context = {
    ...buildContext(work.session, before, input, assumed),
    ...(portfolioVersion === undefined ? {} : { portfolioVersion }),
  };
  const hash = isSameContext(before, context) ? session.hashes.context : work.recordArtifact('context', context);
  const change = isDrafting ? describeContextChange(before, context, explainCause(session)) : undefined;
  if (change) work.recordAdaptation(change);
  return {
    confidence: input.confidence,
    explanations: assumed.map(({ text, assumption }) => `Not asked: ${text} Assumed: ${assumption}`),
    data: { questions: work.session.questions, confidence: input.confidence, contentHash: hash },
  };
});

/** Whether a question is asked although the outline is being drafted. */
function isNeeded({ isBlocking, purpose }: CandidateQuestion): boolean {
  return isBlocking || purpose !== 'fact';
}

function toCandidate({
  text,
  purpose,
  assumption,
  is_blocking,
}: NonNullable<ContextInput['questions']>[number]): CandidateQuestion {
  return { text, purpose, assumption, isBlocking: is_blocking };
}

/** The context after a call: what it states replaces what was known. */
function buildContext(
  session: PlanSession,
  before: PlanContext,
  input: ContextInput,
  assumed: readonly CandidateQuestion[],
): PlanContext {
  // The schema of the tool has checked the members; only their names differ.
  const given = toCamelCase(toJson(input)) as unknown as CamelInput;
  const assumptions = assumed.map(({ text, assumption }) => ({ question: text, answer: assumption, isAssumed: true }));
  const { capacity, strategy, dates, calendar } = before;
  const end = given.end ?? dates.end;
  return {
    ...before,
    ...(session.hashes.context === undefined ? {} : { previousHash: session.hashes.context }),
    zone: given.zone ?? before.zone,
    calendar: { hours: given.hours ?? calendar.hours, holidays: given.holidays ?? calendar.holidays },
    capacity: {
      minutesPerDay: given.minutesPerDay ?? capacity.minutesPerDay,
      minutesPerWeek: given.minutesPerWeek ?? capacity.minutesPerWeek,
    },
    dates: {
      start: given.start ?? dates.start,
      ...(end === undefined ? {} : { end }),
      fixed: given.fixed ?? dates.fixed,
    },
    strategy: {
      loading: given.loading ?? strategy.loading,
      bufferShare: given.bufferShare ?? strategy.bufferShare,
      preferredWeekdays: given.preferredWeekdays ?? strategy.preferredWeekdays,
    },
    facts: mergeFacts(before.facts, given.facts ?? [], assumptions),
    policy: session.policy,
  };
}

/** Whether two contexts say the same, whatever they replace. */
export function isSameContext(
  { previousHash: _, ...one }: PlanContext,
  { previousHash: __, ...other }: PlanContext,
): boolean {
  return toCanonicalJson(one) === toCanonicalJson(other);
}

interface CamelInput {
  readonly zone?: string;
  readonly start?: string;
  readonly end?: string;
  readonly fixed?: PlanContext['dates']['fixed'];
  readonly hours?: PlanContext['calendar']['hours'];
  readonly holidays?: PlanContext['calendar']['holidays'];
  readonly minutesPerDay?: number;
  readonly minutesPerWeek?: number;
  readonly loading?: PlanContext['strategy']['loading'];
  readonly bufferShare?: number;
  readonly preferredWeekdays?: PlanContext['strategy']['preferredWeekdays'];
  readonly facts?: PlanContext['facts'];
}

/** A later statement about the same question replaces an earlier one; an assumption never replaces what the person said. */
function mergeFacts(...lists: readonly PlanContext['facts'][]): PlanContext['facts'] {
  const merged = new Map<string, PlanContext['facts'][number]>();
  for (const fact of lists.flat()) {
    const known = merged.get(fact.question);
    if (!known || known.isAssumed || !fact.isAssumed) merged.set(fact.question, fact);
  }
  return [...merged.values()].slice(-100);
}

type ProbeInput = ToolInput<typeof planningSpec, 'preference_probe'>;

/** Records how the person wants to be dealt with, or has them asked once. */
export const probePreference = makePlanningTool('preference_probe', (work, input: ProbeInput) => {
  const { session } = work;
  if (!input.overrides) {
    if (!shouldAskStyle(session.preferences, session.overrides, session.wasStyleAsked))
      throw new ToolError('asked_before', 'Not asked: the style of the conversation is known or was asked.');
    work.session = { ...session, wasStyleAsked: true, questions: [...session.questions, STYLE_QUESTION] };
    work.record('PreferenceAsked', { user: session.user, preference: 'conversationStyle' });
    return {
      confidence: input.confidence,
      explanations: ['The person is asked once.'],
      data: { question: STYLE_QUESTION },
    };
  }
  const overrides = toCamelCase(toJson(input.overrides)) as PlanSession['overrides'][number];
  const all = [...session.overrides, overrides];
  work.session = { ...session, overrides: all, policy: resolvePolicy(session.preferences, all) };
  work.record('PolicyOverridden', { overrides: toJson(overrides), words: input.words ?? '' });
  return { confidence: input.confidence, explanations: [input.words ?? ''], data: { policy: work.session.policy } };
});
