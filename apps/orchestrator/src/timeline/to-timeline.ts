import type { Timeline, TimelineMark, TimelinePhase, TimelineSpan } from '@phaseline/client';
import type { JobTimeline } from '@phaseline/time-travel';

/** Converts a timeline to its API form. */
export function toTimeline({ window, eventCount, isTruncated, lanes, marks }: JobTimeline): Timeline {
  return {
    from: toIso(window.from),
    to: toIso(window.to),
    columnMs: window.columnMs,
    eventCount,
    isTruncated,
    phases: lanes.map(toPhase),
    marks: marks.map(toMark),
  };
}

type Lane = JobTimeline['lanes'][number];

function toPhase({ outline, start, end, fromPosition, toPosition, spans }: Lane): TimelinePhase {
  const { phase, attempt, kind, state, name, result } = outline;
  const outcome = result && (result.kind === 'completed' ? result.outcome : result.kind);
  return {
    ...{ phase, attempt, kind, state, name },
    start: toIso(start),
    ...(end === undefined ? {} : { end: toIso(end) }),
    ...(outcome === undefined ? {} : { outcome }),
    fromPosition,
    toPosition,
    spans: spans.map(toSpan),
  };
}

function toSpan({ start, end, ...span }: Lane['spans'][number]): TimelineSpan {
  return { ...span, start: toIso(start), ...(end === undefined ? {} : { end: toIso(end) }) };
}

function toMark({ kind, time, count, position, phase }: JobTimeline['marks'][number]): TimelineMark {
  return { kind, at: toIso(time), count, position, ...(phase === 0 ? {} : { phase }) };
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
