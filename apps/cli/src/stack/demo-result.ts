import type { JobSummary } from '@phaseline/client';
import type { AuditReport } from '../audit/verify-log.js';
import { auditLine } from '../audit/render-audit.js';
import type { Paint } from '../output/paint.js';
import { printable } from '../output/printable.js';
import { bytes, counted, shortCount, usd } from '../output/quantities.js';
import { statusMark, statusPaint } from '../progress/render-progress.js';
import type { Deliverables } from './collect-deliverables.js';

/** What a demo has to show for itself; with `--json` its last record. */
export interface DemoResult extends Deliverables {
  readonly job: JobSummary;
  readonly model: string;
  /** The model was the stand-in. */
  readonly rehearsed: boolean;
  readonly phases: { readonly strategic: number; readonly tactical: number };
  readonly audit: AuditReport;
  /** Of the job's first event and of its last one. */
  readonly positions: { readonly first: number; readonly last: number };
  /** From the start of the command to here. */
  readonly elapsedMs: number;
}

/** The summary at the end of a demo. `apiUrl` is given where the system stays up. */
export function renderDemoResult(
  result: DemoResult,
  options: { readonly paint: Paint; readonly apiUrl?: string },
): string[] {
  const { job, phases, requirements, audit } = result;
  const { paint } = options;
  const mark = statusPaint(job.status, paint)(statusMark(job.status));
  const lines = [
    `${mark} Job ${job.status} after ${counted(phases.strategic, 'strategic phase')} and ${counted(phases.tactical, 'tactical phase')}, ${(result.elapsedMs / 1_000).toFixed(1)} s in all.`,
  ];
  if (job.failure) lines.push(`  ${paint.red(`${printable(job.failure.message)} (${printable(job.failure.code)})`)}`);
  if (job.result) lines.push(`  ${printable(job.result.summary)}`);
  lines.push('');
  if (requirements)
    lines.push(
      `  Requirements  ${paint.bold(counted(requirements.count, 'requirement'))} in ${requirements.localPath}`,
    );
  const others = result.files.filter(({ localPath }) => localPath !== requirements?.localPath);
  for (const [index, file] of others.entries()) {
    const title = index > 0 ? '' : requirements ? 'Also' : 'Delivered';
    lines.push(`  ${title.padEnd(12)}  ${printable(file.path)} (${bytes(file.size)})`);
  }
  lines.push(`  Files         ${result.folder}`);
  if (!result.mirrored) {
    lines.push(
      '                The mirror did not hold them in time, so they were pulled out of the log; its own log says why.',
    );
  }
  lines.push(`  Cost          ${costText(job)}`);
  if (result.rehearsed) {
    const told = [
      'The rehearsal model is a scripted stand-in: no language model was called and nothing is charged.',
      `${requirements ? 'The requirements come out of the tools. ' : ''}Set OPENAI_BASE_URL and OPENAI_API_KEY for a real model.`,
    ];
    lines.push(...told.map((line) => `                ${line}`));
  }
  lines.push(`  Audit         ${auditLine(audit, paint)}`);
  lines.push('', ...lookFurther(result, options.apiUrl));
  return lines;
}

function costText({ usage }: JobSummary): string {
  const cached = usage.cachedInputTokens > 0 ? ` (${shortCount(usage.cachedInputTokens)} of them cached)` : '';
  return `${shortCount(usage.inputTokens)} tokens in${cached}, ${shortCount(usage.outputTokens)} out, ${counted(usage.steps, 'model call')}: ${usd(usage.costMicroUsd)} at the prices of the model profile`;
}

function lookFurther({ job, positions }: DemoResult, apiUrl: string | undefined): string[] {
  const half = Math.floor((positions.first + positions.last) / 2);
  return [
    apiUrl === undefined
      ? 'To look further, start the system again (npm start) and, in another terminal:'
      : 'To look further, in another terminal:',
    `  npx phaseline events ${job.jobId}`,
    `  npx phaseline replay ${job.jobId} --at ${half}`,
    `  npx phaseline files list ${job.jobId}`,
  ];
}
