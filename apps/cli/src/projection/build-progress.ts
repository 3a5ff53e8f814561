import type { BuildProgress } from '@phaseline/projections';
import type { CommandContext } from '../command/command-context.js';
import { LiveArea } from '../output/live-area.js';
import { shortCount } from '../output/quantities.js';
import { bar } from '../progress/render-progress.js';

const BAR_COLUMNS = 30;
/** Faster runs show no progress bar. */
const SHOW_PROGRESS_AFTER_MS = 1_000;

/** Shows the progress of a pass over all jobs, on a terminal and only if it takes long. Always call `end`. */
export function showProgress({ out, now }: CommandContext): {
  readonly onProgress: (progress: BuildProgress) => void;
  readonly end: () => void;
} {
  const live = out.isTerminal && !out.json ? new LiveArea(out) : undefined;
  const startedAt = now();
  return {
    onProgress: (progress) => {
      const ms = now() - startedAt;
      if (ms >= SHOW_PROGRESS_AFTER_MS) live?.draw([progressText(progress, ms)]);
    },
    end: () => live?.erase(),
  };
}

/** Formats progress: `███░░░ 42 %  1.2k of 5.0k jobs, 430k events, 61k per second`. */
export function progressText({ jobs, ofJobs, events }: BuildProgress, ms: number): string {
  const percent = ofJobs === 0 ? 0 : Math.min(99, Math.floor((100 * jobs) / ofJobs));
  const rate = shortCount(Math.round(events / Math.max(1, ms / 1_000)));
  return `${bar(jobs, ofJobs, BAR_COLUMNS)} ${String(percent).padStart(2)} %  ${shortCount(jobs)} of ${shortCount(ofJobs)} jobs, ${shortCount(events)} events, ${rate} per second`;
}
