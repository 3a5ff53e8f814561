import { renderMarkdownTable } from '@phaseline/harness';
import { renderSamples } from '../samples/render-samples.js';
import type { PageFigures } from './measure-lists.js';
import type { LogReport } from './run-log.js';

/** Renders the report: tables if every check passed, otherwise the problems only. */
export function renderLog(report: LogReport): string {
  if (!report.passed)
    return [...report.problems.map((problem) => `! ${problem}`), `Checks failed. Seed ${report.seed}.`, ''].join('\n');
  const { verification, rows } = report;
  return [
    `${formatWhole(report.events)} events of ${formatWhole(report.jobs)} jobs in ${formatWhole(report.seconds)} s, seed ${report.seed}`,
    '',
    renderMarkdownTable(
      ['events', 'filled, events/s', 'append p50 ms', 'p99 ms', 'appends/s, 8 writers', 'pages per append'],
      rows.map(({ events, filledPerSecond, appends }) => [
        formatWhole(events),
        formatWhole(filledPerSecond),
        appends.p50Ms.toFixed(2),
        appends.p99Ms.toFixed(2),
        formatWhole(appends.perSecond),
        appends.buffers.toFixed(1),
      ]),
    ),
    '',
    renderMarkdownTable(
      [
        'events',
        'job read p50 ms',
        'p99 ms',
        'rows per job',
        'pages per row',
        'newest jobs p50 ms',
        'rows',
        'pages',
        'jobs by label p50 ms',
        'rows',
        'pages',
      ],
      rows.map(({ events, jobReads, lists }) => [
        formatWhole(events),
        jobReads.p50Ms.toFixed(2),
        jobReads.p99Ms.toFixed(2),
        jobReads.rows.toFixed(1),
        jobReads.buffersPerRow.toFixed(2),
        ...renderPage(lists?.newest),
        ...renderPage(lists?.byLabel),
      ]),
    ),
    '',
    renderSamples(report.samples),
    '',
    `Hash chains verified: ${formatWhole(verification.events)} events in ${formatWhole(verification.streams)} streams${
      verification.sample ? ` of ${formatWhole(verification.sample.length)} jobs, a sample determined by the seed` : ''
    }.`,
    'All checks passed.',
    '',
  ].join('\n');
}

function renderPage(page: PageFigures | undefined): readonly string[] {
  return page ? [page.p50Ms.toFixed(2), formatWhole(page.rows), formatWhole(page.buffers)] : ['-', '-', '-'];
}

function formatWhole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
