import type { JobSummary } from '@phaseline/client';
import type { AuditReport } from '@phaseline/audit';
import { renderAuditOutcome } from '../audit/render-audit.js';
import { renderFeatureOutcomes, type FeatureOutcome } from '../demo/feature-loop/feature-outcomes.js';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatBytes, pluralise, formatCount, formatUsd } from '../output/quantities.js';
import { getStatusMark, getStatusPaint } from '../progress/render-progress.js';
import type { Deliverables } from './collect-deliverables.js';

/** Result of a demo; its last record with `--json`. */
export interface DemoResult extends Deliverables {
  readonly job: JobSummary;
  readonly model: string;
  /** True if the model was the scripted rehearsal model. */
  readonly isRehearsal: boolean;
  readonly phases: { readonly strategic: number; readonly tactical: number };
  readonly audit: AuditReport;
  /** What became of the features, for a job of the workflow `feature-loop`. */
  readonly features?: readonly FeatureOutcome[];
  /** Positions of the job's first and last event. */
  readonly positions: { readonly first: number; readonly last: number };
  /** Time since the start of the command. */
  readonly elapsedMs: number;
}

/** Renders the summary at the end of a demo. `apiUrl` is given if the system stays up. */
export function renderDemoResult(
  result: DemoResult,
  options: { readonly paint: Paint; readonly apiUrl?: string },
): string[] {
  const { job, phases, requirements, audit } = result;
  const { paint } = options;
  const mark = getStatusPaint(job.status, paint)(getStatusMark(job.status));
  const lines = [
    `${mark} Job ${job.status} after ${pluralise(phases.strategic, 'strategic phase')} and ${pluralise(phases.tactical, 'tactical phase')}, ${(result.elapsedMs / 1_000).toFixed(1)} s in total.`,
  ];
  if (job.failure)
    lines.push(`  ${paint.red(`${toPrintable(job.failure.message)} (${toPrintable(job.failure.code)})`)}`);
  if (job.result) lines.push(`  ${toPrintable(job.result.summary)}`);
  lines.push('');
  for (const [index, line] of renderFeatureOutcomes(result.features ?? [], paint).entries())
    lines.push(`  ${(index > 0 ? '' : 'Features').padEnd(12)}  ${line}`);
  if (requirements)
    lines.push(
      `  Requirements  ${paint.bold(pluralise(requirements.count, 'requirement'))} in ${requirements.localPath}`,
    );
  const others = result.files.filter(({ localPath }) => localPath !== requirements?.localPath);
  for (const [index, file] of others.entries()) {
    const title = index > 0 ? '' : requirements ? 'Also' : 'Delivered';
    lines.push(`  ${title.padEnd(12)}  ${toPrintable(file.path)} (${formatBytes(file.size)})`);
  }
  lines.push(`  Files         ${result.folder}`);
  if (!result.isMirrored) {
    lines.push(
      "                Pulled from the log, because the mirror did not hold them in time; see the tool-runner's log for the reason.",
    );
  }
  lines.push(`  Cost          ${formatCost(job)}`);
  if (result.isRehearsal) {
    const notes = [
      'The rehearsal model follows a script: no language model was called and nothing is charged.',
      `${requirements ? 'The tools extracted the requirements. ' : ''}Set OPENAI_BASE_URL and OPENAI_API_KEY to use a real model.`,
    ];
    lines.push(...notes.map((line) => `                ${line}`));
  }
  lines.push(`  Audit         ${renderAuditOutcome(audit, paint)}`);
  lines.push('', ...renderNextSteps(result, options.apiUrl));
  return lines;
}

function formatCost({ usage }: JobSummary): string {
  const cached = usage.cachedInputTokens > 0 ? ` (${formatCount(usage.cachedInputTokens)} of them cached)` : '';
  return `${formatCount(usage.inputTokens)} tokens in${cached}, ${formatCount(usage.outputTokens)} out, ${pluralise(usage.steps, 'model call')}: ${formatUsd(usage.costMicroUsd)} at the prices of the model profile`;
}

function renderNextSteps({ job, positions }: DemoResult, apiUrl: string | undefined): string[] {
  const middle = Math.floor((positions.first + positions.last) / 2);
  return [
    apiUrl === undefined
      ? 'To explore the job, start the system again (npm start) and run in another terminal:'
      : 'To explore the job, run in another terminal:',
    `  npx phaseline events ${job.jobId}`,
    `  npx phaseline state ${job.jobId} --at ${middle}`,
    `  npx phaseline files list ${job.jobId}`,
  ];
}
