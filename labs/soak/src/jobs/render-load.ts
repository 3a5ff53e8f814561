import { renderMarkdownTable } from '@phaseline/harness';
import { renderSamples } from '../samples/render-samples.js';
import type { LoadReport } from './load.js';
import { renderFigures, renderWhole } from './render-figures.js';
import { renderSpread } from './spread.js';

/** Renders the report as tables. The progress of the samples is the number of accepted jobs. */
export function renderLoad(report: LoadReport): string {
  const { log, minutes, memory } = report;
  return renderFigures(
    [
      ['queues', report.queues],
      ['jobs per minute submitted', renderWhole(report.jobsPerMinute)],
      ['jobs submitted, and completed', renderWhole(report.jobs)],
      ['steps', renderWhole(report.steps)],
      ['events, streams, files verified', [log.events, log.streams, log.files].map(renderWhole).join(', ')],
    ],
    renderMarkdownTable(
      ['minute', 'submitted', 'completed', 's to first call p50 / p99 / max', 's to end p50 / p99 / max'],
      minutes.map(({ minute, submitted, completed, waitMs, totalMs }) => [
        ...[minute, submitted, completed].map(renderWhole),
        ...[waitMs, totalMs].map(renderSpread),
      ]),
    ),
    renderMarkdownTable(
      ['resident memory', 'MiB, second third', 'MiB, last third', 'growth'],
      memory.map(({ name, secondThirdMiB, lastThirdMiB }) => [
        ...[name, secondThirdMiB.toFixed(1), lastThirdMiB.toFixed(1)],
        `${(100 * (lastThirdMiB / secondThirdMiB - 1)).toFixed(1)} %`,
      ]),
    ),
    renderSamples(report.samples),
  );
}
