import { renderSamples } from '../samples/render-samples.js';
import type { ManyJobsReport } from './many-jobs.js';
import { renderFigures, renderWhole } from './render-figures.js';
import { renderSpread } from './spread.js';

/** Renders the report as tables. */
export function renderManyJobs(report: ManyJobsReport): string {
  const { queues, jobs, steps, seconds, log } = report;
  return renderFigures(
    [
      ['queues', queues],
      ['jobs submitted, and completed', renderWhole(jobs)],
      ['steps', renderWhole(steps)],
      ['seconds until all were accepted', report.submitSeconds.toFixed(1)],
      ['seconds until all had completed', seconds.toFixed(1)],
      ['jobs per second', (jobs / seconds).toFixed(1)],
      ['steps per second', (steps / seconds).toFixed(1)],
      ['seconds until the first model call, p50 / p99 / max', renderSpread(report.waitMs)],
      ['seconds from there to the end, p50 / p99 / max', renderSpread(report.runMs)],
      ['events, streams, files verified', [log.events, log.streams, log.files].map(renderWhole).join(', ')],
    ],
    renderSamples(report.samples),
  );
}
