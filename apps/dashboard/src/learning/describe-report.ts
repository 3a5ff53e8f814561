import { formatOverConfidence, formatShare, type LearningReportRecord } from '@phaseline/client';
import { formatCount, pluralise } from '../ui/format.js';

/** One anti-pattern, or one measure of success. */
export interface Measure {
  readonly name: string;
  readonly figure: string;
  /** From what the figure was computed. */
  readonly basis: string;
  readonly target: string;
  /** Whether the target is met; absent where the figure has no exact target, or nothing was counted. */
  readonly isMet?: boolean;
  readonly counts: string;
}

/** Describes the five anti-patterns. */
export function describeAntiPatterns({ antiPatterns }: LearningReportRecord): readonly Measure[] {
  const { neverRetrieved, oscillation, genericReflections, selfScore, overthinking } = antiPatterns;
  return [
    {
      name: 'Stored, never retrieved',
      ...describeShare(neverRetrieved, 'learning trace'),
      target: 'low',
      counts: 'Learning traces that no agent read with get_trace.',
    },
    {
      name: 'Oscillation',
      ...describeShare(oscillation, 'later attempt'),
      target: '0',
      ...compareWith(oscillation, 0),
      counts: 'Third and later attempts that failed like the attempt before the last, and not like the last.',
    },
    {
      name: 'Generic reflections',
      ...describeShare(genericReflections, 'reflection'),
      target: '0',
      ...compareWith(genericReflections, 0),
      counts: 'Reflections that were refused, because they name nothing of the attempt.',
    },
    {
      name: 'Self-score',
      figure: formatOverConfidence(selfScore),
      basis:
        selfScore.proposals === 0
          ? 'no proposal yet'
          : `mean confidence ${formatShare(selfScore.meanConfidence)}, ${formatShare(selfScore.shareAccepted)} of ${pluralise(selfScore.proposals, 'proposal')} accepted`,
      target: 'near 0',
      counts:
        'Confidence of agents that proposed to complete their job, minus the share of these proposals that were accepted. Positive: too sure.',
    },
    {
      name: 'Overthinking',
      figure: formatShare(overthinking.share),
      basis: `${describeShare(overthinking, 'phase').basis}; mean use ${formatShare(overthinking.meanUsed)}`,
      target: 'low',
      counts: 'Phases that used at least 80 % of their limit of steps.',
    },
  ];
}

/** Describes four of the five measures of success. The fifth, the size of instructions, has a row per agent. */
export function describeMetrics({ metrics }: LearningReportRecord): readonly Measure[] {
  const { prematureCompletion, userPrompts, repeatedMistakes, ruleCompliance } = metrics;
  const { questions, approvals, steers, perJob } = userPrompts;
  return [
    {
      name: 'Premature completion',
      ...describeShare(prematureCompletion, 'accepted claim'),
      target: '0',
      ...compareWith(prematureCompletion, 0),
      counts: 'Accepted claims that were refuted later.',
    },
    {
      name: 'Prompts of people',
      figure: perJob === null ? '–' : `${perJob.toFixed(2)} per job`,
      basis: [pluralise(questions, 'question'), pluralise(approvals, 'approval'), pluralise(steers, 'message')].join(
        ', ',
      ),
      target: 'low',
      counts: 'What people were asked, and what they said unasked.',
    },
    {
      name: 'Repeated mistakes',
      ...describeShare(repeatedMistakes, 'violation'),
      target: 'low',
      counts: 'Violations with an earlier one of the same pattern.',
    },
    {
      name: 'Rule compliance',
      figure: formatShare(ruleCompliance.share),
      basis: `${describeShare(ruleCompliance, 'denial').basis}; ${formatCount(ruleCompliance.overridden)} overridden by people`,
      target: '1.00',
      ...compareWith(ruleCompliance, 1),
      counts: 'Denials by guards that held. Those that a person had overridden are counted apart.',
    },
  ];
}

interface Share {
  readonly count: number;
  readonly of: number;
  readonly share: number | null;
}

function describeShare({ count, of, share }: Share, unit: string): Pick<Measure, 'figure' | 'basis'> {
  if (of === 0) return { figure: '–', basis: `no ${unit} yet` };
  return { figure: formatShare(share), basis: `${formatCount(count)} of ${pluralise(of, unit)}` };
}

function compareWith({ share }: Share, target: number): Pick<Measure, 'isMet'> {
  return share === null ? {} : { isMet: share === target };
}
