import { renderSamples } from '../samples/render-samples.js';
import { renderFigures, renderWhole } from './render-figures.js';
import type { WaitingJobsReport } from './waiting-jobs.js';

/** Renders the report as tables. The progress of the samples is the number of jobs that wait. */
export function renderWaitingJobs(report: WaitingJobsReport): string {
  const { rest, log } = report;
  return renderFigures(
    [
      ['queues', report.queues],
      ['jobs that asked, and completed', renderWhole(report.jobs)],
      ['steps', renderWhole(report.steps)],
      ['seconds until all waited', report.askSeconds.toFixed(1)],
      [`commits per second while all waited, over ${renderWhole(rest.seconds)} s`, rest.commitsPerSecond.toFixed(1)],
      ...Object.entries(rest.rssMiB).map(
        ([name, mib]) => [`MiB of ${name} while all waited`, renderWhole(mib)] as const,
      ),
      ['answers accepted', renderWhole(report.answered)],
      ['seconds until all were answered', report.answerSeconds.toFixed(1)],
      ['seconds from the first answer to the last end', report.endSeconds.toFixed(1)],
      ['events, streams, files verified', [log.events, log.streams, log.files].map(renderWhole).join(', ')],
    ],
    renderSamples(report.samples),
  );
}
