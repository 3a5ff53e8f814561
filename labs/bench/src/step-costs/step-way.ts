import { LANE_TITLES } from '../lane-titles.js';
import type { StepBenchOptions } from '../step-bench.js';

/** How the calls of a step are made. */
export type StepWay = Pick<StepBenchOptions, 'lane' | 'isQueued'>;

/** Names how the calls of a step are made. */
export function nameWay({ lane, isQueued }: StepWay): string {
  return isQueued ? `${LANE_TITLES[lane]}, queued` : LANE_TITLES[lane];
}
