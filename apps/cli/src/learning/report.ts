import { formatShare, type LearningReportQuery, type LearningReportRecord } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatCount, pluralise } from '../output/quantities.js';

/** `phaseline learning report`: shows whether agents learn from what happened. */
export async function showLearningReport(
  context: CommandContext,
  options: Partial<LearningReportQuery>,
): Promise<ExitCode> {
  const { out, signal } = context;
  const report = await (await connect(context)).learning.report(options, { signal });
  if (out.isStructured) out.writeDocument(report);
  else out.writeLines(...renderLearningReport(report, out.paint));
  return exitCode.ok;
}

/** Renders one line per anti-pattern and measure. */
export function renderLearningReport(
  { jobs, hasMore, antiPatterns, metrics }: LearningReportRecord,
  paint: Paint,
): string[] {
  const { neverRetrieved, oscillation, genericReflections, selfScore, overthinking } = antiPatterns;
  const { prematureCompletion, userPrompts, promptSize, repeatedMistakes, ruleCompliance } = metrics;
  const { questions, approvals, steers, perJob } = userPrompts;
  return [
    `${pluralise(jobs, 'job')}${hasMore ? ', the newest; older ones match as well (--limit)' : ''}`,
    '',
    paint.bold('Anti-patterns'),
    `  stored, never retrieved  ${renderShare(neverRetrieved, 'learning trace')}`,
    `  oscillation              ${renderShare(oscillation, 'later attempt')}`,
    `  generic reflections      ${renderShare(genericReflections, 'reflection')}`,
    `  self-score               ${renderSelfScore(selfScore)}`,
    `  overthinking             ${renderShare(overthinking, 'phase')} used 80 % of its steps; mean use ${formatShare(overthinking.meanUsed)}`,
    '',
    paint.bold('Measures of success'),
    `  premature completion     ${renderShare(prematureCompletion, 'accepted claim')} refuted later; the target is 0`,
    `  prompts of people        ${perJob === null ? '–' : perJob.toFixed(2)} per job: ${pluralise(questions, 'question')}, ${pluralise(approvals, 'approval')}, ${pluralise(steers, 'message')}`,
    `  repeated mistakes        ${renderShare(repeatedMistakes, 'violation')}`,
    `  rule compliance          ${renderShare(ruleCompliance, 'denial')} held; ${formatCount(ruleCompliance.overridden)} overridden by people`,
    '  size of instructions',
    ...promptSize.map(
      ({ agent, lines, tokens }) =>
        `    ${toPrintable(agent)}: ${pluralise(lines, 'line')}, ${formatCount(tokens)} tokens`,
    ),
  ];
}

function renderShare(
  { count, of, share }: { readonly count: number; readonly of: number; readonly share: number | null },
  unit: string,
): string {
  return `${formatShare(share)} (${formatCount(count)} of ${pluralise(of, unit)})`;
}

function renderSelfScore({
  proposals,
  meanConfidence,
  shareAccepted,
  overConfidence,
}: LearningReportRecord['antiPatterns']['selfScore']): string {
  const difference = overConfidence === null ? '–' : `${overConfidence >= 0 ? '+' : ''}${overConfidence.toFixed(2)}`;
  return `${difference}: mean confidence ${formatShare(meanConfidence)}, accepted ${formatShare(shareAccepted)} of ${pluralise(proposals, 'proposal')}`;
}
