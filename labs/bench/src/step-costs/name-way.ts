import { LANE_TITLES } from '../lane-titles.js';
import type { StepWay } from './measure-costs.js';

/** Names how the calls of a step are made. */
export function nameWay({ lane, isQueued }: StepWay): string {
  return isQueued ? `${LANE_TITLES[lane]}, queued` : LANE_TITLES[lane];
}
