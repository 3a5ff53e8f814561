import type { BuildProgress } from '@phaseline/projections';
import type { CommandContext } from '../command/command-context.js';
import { LiveArea } from '../output/live-area.js';
import { formatCount } from '../output/quantities.js';
import { renderBar } from '../progress/render-progress.js';

const BAR_COLUMNS = 30;
/** Faster runs show no progress bar. */
const SHOW_PROGRESS_AFTER_MS = 1_000;

/** Shows the progress of a pass over all jobs, on a terminal and only if it takes long. Always call `end`. */
export function showProgress({ out, now }: CommandContext): {
  readonly onProgress: (progress: BuildProgress) => void;
  readonly end: () => void;
} {
  const live = out.isTerminal && !out.isStructured ? new LiveArea(out) : undefined;
  const startedAt = now();
  return {
    onProgress: (progress) => {
      const ms = now() - startedAt;
      if (ms >= SHOW_PROGRESS_AFTER_MS) live?.draw([formatBuildProgress(progress, ms)]);
    },
    end: () => live?.erase(),
  };
}

/** Formats progress: `███░░░ 42 %  1.2k of 5.0k jobs, 430k events, 61k per second`. */
function formatBuildProgress({ jobs, ofJobs, events }: BuildProgress, ms: number): string {
  const percent = ofJobs === 0 ? 0 : Math.min(99, Math.floor((100 * jobs) / ofJobs));
  const rate = formatCount(Math.round(events / Math.max(1, ms / 1_000)));
  return `${renderBar(jobs, ofJobs, BAR_COLUMNS)} ${String(percent).padStart(2)} %  ${formatCount(jobs)} of ${formatCount(ofJobs)} jobs, ${formatCount(events)} events, ${rate} per second`;
}
