import type { EventColumns } from './event-columns.js';
import { PhaseActivity, phaseEnds, type ActivitySegment } from './phase-activity.js';

/** What one phase did, from its first to its last event. */
export interface PhaseLane {
  readonly phase: number;
  readonly start: number;
  /** Absent while the phase runs. */
  readonly end?: number;
  readonly fromPosition: number;
  readonly toPosition: number;
  readonly segments: readonly ActivitySegment[];
}

interface OpenLane {
  readonly activity: PhaseActivity;
  readonly start: number;
  readonly fromPosition: number;
  end?: number;
  toPosition: number;
}

/** Events of a job after which it waits until a phase gets a slot. */
const slotWaits: ReadonlySet<string> = new Set(['JobSubmitted', 'JobForked', 'JobRetried', 'PhaseEnded']);

/** Returns a lane for each phase that has events in the streams of the job, in order. */
export function buildLanes({ positions, times, types, phases }: EventColumns): readonly PhaseLane[] {
  const lanes = new Map<number, OpenLane>();
  let slotWait: { readonly time: number; readonly position: number } | undefined;
  for (let index = 0; index < positions.length; index += 1) {
    const [position, time, type, phase] = [positions[index]!, times[index]!, types[index]!, phases[index]!];
    if (phase === 0) {
      if (slotWaits.has(type)) slotWait = { time, position };
      continue;
    }
    let lane = lanes.get(phase);
    if (!lane) {
      lane = { activity: new PhaseActivity(), start: time, fromPosition: position, toPosition: position };
      lanes.set(phase, lane);
      if (slotWait) lane.activity.addSlotWait(slotWait.time, slotWait.position, time, position);
      slotWait = undefined;
    }
    // Events after the end, such as those of retention, do not make the phase longer.
    if (lane.end !== undefined) continue;
    lane.activity.add(type, time, position);
    lane.toPosition = position;
    if (phaseEnds.has(type)) lane.end = time;
  }
  return [...lanes]
    .map(([phase, { activity, toPosition, ...lane }]) => ({
      phase,
      ...lane,
      toPosition,
      segments: activity.finish(toPosition),
    }))
    .sort((left, right) => left.phase - right.phase);
}
