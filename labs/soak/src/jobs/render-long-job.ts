import { renderMarkdownTable } from '@phaseline/harness';
import { renderSamples } from '../samples/render-samples.js';
import type { LongJobReport } from './long-job.js';
import { renderFigures, renderWhole } from './render-figures.js';
import { renderSpread } from './spread.js';

/** Renders the report as tables. The progress of the samples is the number of steps. */
export function renderLongJob(report: LongJobReport): string {
  const { job, tenths, states, resumption, log } = report;
  return renderFigures(
    [
      ['queues', report.queues],
      ['phases, steps per phase, todos per phase', [job.phases, job.stepsPerPhase, job.todosPerPhase].join(', ')],
      ['steps', renderWhole(report.steps)],
      [`seconds per state, at ${states.count} random positions, p50 / p99 / max`, renderSpread(states.readMs)],
      ['seconds to fork at the last phase', (resumption.forkMs / 1_000).toFixed(2)],
      ['seconds from a kill of the worker to the next step of the fork', resumption.resumeSeconds.toFixed(1)],
      ['takeovers of the fork', renderWhole(resumption.takeovers)],
      ['events, streams, files verified', [log.events, log.streams, log.files].map(renderWhole).join(', ')],
    ],
    renderMarkdownTable(
      ['tenth', 'steps', 'steps/s', 'tokens/prompt', 'commits/step', 'rows/step', 'pages/step'],
      tenths.map((tenth, index) => [
        ...[renderWhole(index + 1), renderWhole(tenth.steps), (tenth.steps / tenth.seconds).toFixed(1)],
        ...[renderWhole(tenth.promptTokens), tenth.commits.toFixed(2)],
        ...[renderWhole(tenth.rows), renderWhole(tenth.pages)],
      ]),
    ),
    renderSamples(report.samples),
  );
}
