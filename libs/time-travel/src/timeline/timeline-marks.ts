import type { EventColumns } from './event-columns.js';
import { findColumn, type TimeWindow } from './merge-segments.js';

type MarkKind = 'retry' | 'rejection' | 'takeover' | 'steering' | 'compaction';

/** Something that happened at a moment. */
export interface TimelineMark {
  readonly kind: MarkKind;
  readonly time: number;
  /** Number of marks of this kind in the same column. */
  readonly count: number;
  readonly position: number;
  /** 0 for an event of the job itself. */
  readonly phase: number;
}

const kinds: Readonly<Record<string, MarkKind>> = {
  ModelCallFailed: 'retry',
  ToolCallFailed: 'retry',
  TransitionRejected: 'rejection',
  ClaimRefused: 'rejection',
  PhaseTakenOver: 'takeover',
  JobSteered: 'steering',
  ConversationSummarised: 'compaction',
};

/** Returns the marks in a window in order, those of one kind in one column as one. */
export function collectMarks({ positions, times, types, phases }: EventColumns, window: TimeWindow): TimelineMark[] {
  const marks = new Map<string, TimelineMark>();
  for (let index = 0; index < positions.length; index += 1) {
    const kind = kinds[types[index]!];
    const time = times[index]!;
    if (!kind || time < window.from || time > window.to) continue;
    const key = `${kind} ${findColumn(window, time)}`;
    const before = marks.get(key);
    marks.set(
      key,
      before
        ? { ...before, count: before.count + 1 }
        : { kind, time, count: 1, position: positions[index]!, phase: phases[index]! },
    );
  }
  return [...marks.values()];
}
