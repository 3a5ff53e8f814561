import type { EventIndex, Timeline, TimelineMark, TimelinePhase, TimelineSpan } from '@phaseline/client';
import { memo, useRef, type KeyboardEvent, type PointerEvent } from 'react';
import { formatClock, formatCount, formatDuration, pluralise } from '../ui/format.js';
import { estimateOrdinal, PAGE_EVENTS } from './event-pages.js';
import './lanes.css';

const HEIGHT = 104;
/** Vertical places of the lanes in pixels. */
const TOP = { strategic: 2, tactical: 22, model: 46, tool: 60, wait: 74, marks: 88 } as const;

/**
 * The phases of a job as lanes on a time axis, which is also the slider: a click or the arrow keys move it to an event. Everything is
 * drawn in fractions of the width, so that it needs no measuring.
 */
export function Lanes({
  timeline,
  index,
  ordinal,
  timeAt,
  onMove,
}: {
  readonly timeline: Timeline;
  readonly index: EventIndex;
  readonly ordinal: number;
  /** Time of the event at the slider; undefined until it is known. */
  readonly timeAt: string | undefined;
  readonly onMove: (ordinal: number) => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  const { from, length, toPercent } = createAxis(timeline);
  const moveTo = ({ clientX }: PointerEvent): void => {
    const box = element.current?.getBoundingClientRect();
    if (!box || box.width === 0) return;
    onMove(estimateOrdinal(from + ((clientX - box.left) / box.width) * length, index));
  };
  const last = index.count - 1;
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moveByKey(event.key, ordinal, last);
    if (next === undefined) return;
    event.preventDefault();
    onMove(Math.min(last, Math.max(0, next)));
  };
  const thumb = timeAt === undefined ? undefined : toPercent(timeAt);
  return (
    <div
      ref={element}
      className="lanes"
      role="slider"
      tabIndex={0}
      aria-label="Event of the job"
      aria-valuemin={1}
      aria-valuemax={index.count}
      aria-valuenow={ordinal + 1}
      aria-valuetext={`Event ${formatCount(ordinal + 1)} of ${formatCount(index.count)}${timeAt === undefined ? '' : `, ${formatClock(timeAt)}`}`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        moveTo(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) moveTo(event);
      }}
    >
      <Picture timeline={timeline} />
      {thumb === undefined ? null : <div className="lanes-thumb" style={{ left: `${thumb}%` }} />}
    </div>
  );
}

interface Axis {
  /** The time at its left end, and its length, in milliseconds. */
  readonly from: number;
  readonly length: number;
  readonly toPercent: (at: string) => number;
}

function createAxis(timeline: Timeline): Axis {
  const from = Date.parse(timeline.from);
  const length = Math.max(1, Date.parse(timeline.to) - from);
  return { from, length, toPercent: (at) => Math.min(100, Math.max(0, ((Date.parse(at) - from) / length) * 100)) };
}

/** Thousands of shapes, which a move of the slider does not draw again. */
const Picture = memo(function Picture({ timeline }: { readonly timeline: Timeline }) {
  const { toPercent } = createAxis(timeline);
  return (
    <svg width="100%" height={HEIGHT} aria-hidden="true">
      {timeline.phases.map((phase) => (
        <Phase key={`${phase.phase}-${phase.attempt}`} {...{ phase, toPercent }} end={timeline.to} />
      ))}
      {timeline.marks.map((mark) => (
        <Mark key={`${mark.kind}-${mark.position}`} mark={mark} x={toPercent(mark.at)} />
      ))}
    </svg>
  );
});

function moveByKey(key: string, ordinal: number, last: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ...{ ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 },
    ...{ PageUp: -PAGE_EVENTS, PageDown: PAGE_EVENTS, Home: -ordinal, End: last - ordinal },
  };
  const step = steps[key];
  return step === undefined ? undefined : ordinal + step;
}

interface PhaseProps {
  readonly phase: TimelinePhase;
  readonly end: string;
  readonly toPercent: (at: string) => number;
}

function Phase({ phase, end, toPercent }: PhaseProps) {
  const x = toPercent(phase.start);
  const width = Math.max(0.1, toPercent(phase.end ?? end) - x);
  return (
    <g>
      <rect x={`${x}%`} width={`${width}%`} y={TOP[phase.kind]} height={16} rx={2} className={`lane-${phase.kind}`}>
        <title>
          {`Phase ${phase.phase}: ${phase.name} (${phase.state}, ${phase.kind}), ${formatDuration(
            Date.parse(phase.end ?? end) - Date.parse(phase.start),
          )}, ${phase.outcome ?? 'running'}`}
        </title>
      </rect>
      {width > 4 ? (
        // A nested picture cuts the name off at the end of the phase.
        <svg x={`${x}%`} width={`${width}%`} y={TOP[phase.kind]} height={16}>
          <text x={4} y={12} className="lane-name">
            {phase.name}
          </text>
        </svg>
      ) : null}
      {phase.spans.map((span) => (
        <Span key={`${span.kind}-${span.fromPosition}`} {...{ span, end, toPercent }} />
      ))}
    </g>
  );
}

const spanNames: Readonly<Record<TimelineSpan['kind'], string>> = { model: 'Model', tool: 'Tool', wait: 'Waiting' };

function Span({ span, end, toPercent }: Pick<PhaseProps, 'end' | 'toPercent'> & { readonly span: TimelineSpan }) {
  const x = toPercent(span.start);
  const what = span.name ?? span.waitsFor ?? '';
  const length = formatDuration(Date.parse(span.end ?? end) - Date.parse(span.start));
  return (
    <rect
      x={`${x}%`}
      width={`${Math.max(0.06, toPercent(span.end ?? end) - x)}%`}
      y={TOP[span.kind]}
      height={10}
      className={`lane-${span.kind}`}
    >
      <title>{`${spanNames[span.kind]}${what === '' ? '' : ` ${what}`}: ${length}${span.count > 1 ? `, ${formatCount(span.count)} together` : ''}`}</title>
    </rect>
  );
}

/** Marks differ by their shape, not only by their colour. */
const markShapes: Readonly<Record<TimelineMark['kind'], { readonly text: string; readonly name: string }>> = {
  retry: { text: '↻', name: 'retry' },
  rejection: { text: '✕', name: 'refused claim or transition' },
  takeover: { text: '⇄', name: 'takeover' },
  steering: { text: '✎', name: 'message of a person' },
  compaction: { text: '⊟', name: 'compaction' },
};

function Mark({ mark, x }: { readonly mark: TimelineMark; readonly x: number }) {
  const { text, name } = markShapes[mark.kind];
  return (
    <text x={`${x}%`} y={TOP.marks + 12} className={`lane-mark lane-mark-${mark.kind}`} textAnchor="middle">
      {text}
      <title>{mark.count === 1 ? name : pluralise(mark.count, name, `${name}s`)}</title>
    </text>
  );
}

/** What the colours and signs of the lanes mean. */
export function LanesLegend() {
  return (
    <ul className="lanes-legend" aria-label="Meaning of the lanes">
      {(['strategic', 'tactical', 'model', 'tool', 'wait'] as const).map((kind) => (
        <li key={kind}>
          <span className={`lanes-swatch swatch-${kind}`} aria-hidden="true" />
          {kind}
        </li>
      ))}
      {Object.values(markShapes).map(({ text, name }) => (
        <li key={name}>
          <span aria-hidden="true">{text}</span> {name}
        </li>
      ))}
    </ul>
  );
}
