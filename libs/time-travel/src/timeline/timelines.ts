import type { JobId } from '@phaseline/contracts';
import { hasJobEnded } from '@phaseline/domain';
import { queryRows, type ColdStorage } from '@phaseline/event-store';
import type { PhaseOutline, StreamFolds } from '@phaseline/repository';
import type pg from 'pg';
import { readArchivedEvents } from '../moment/archived-events.js';
import { EventColumnReader, type EventColumns } from './event-columns.js';
import { createWindow, mergeSegments, type MergedSpan, type TimeWindow } from './merge-segments.js';
import { buildLanes, type PhaseLane } from './phase-lanes.js';
import { collectMarks, type TimelineMark } from './timeline-marks.js';

/** The lane of a phase in a window. */
export interface TimelineLane extends Omit<PhaseLane, 'segments'> {
  readonly outline: PhaseOutline;
  readonly spans: readonly (MergedSpan & { readonly name?: string })[];
}

/** What a job did in a window of time. */
export interface JobTimeline {
  readonly window: TimeWindow;
  readonly eventCount: number;
  /** Whether earlier phases of the window are left out. */
  readonly isTruncated: boolean;
  readonly lanes: readonly TimelineLane[];
  readonly marks: readonly TimelineMark[];
}

export interface TimelineOptions {
  /** Milliseconds since 1970; by default the first event. */
  readonly from?: number | undefined;
  /** By default the last event, or `now` while the job runs. */
  readonly to?: number | undefined;
  readonly now: number;
  /** Number of columns; spans shorter than one are merged. */
  readonly width: number;
  /** Maximum number of lanes. */
  readonly maxPhases: number;
}

/** Maximum number of tool names that are read for one timeline. */
const MAX_NAMES = 2_000;

const NAMES = {
  name: 'phaseline-timeline-names',
  text: `SELECT position::float8 AS position, data ->> 'name' AS name FROM phaseline.events
    WHERE correlation_id = $1 AND position = ANY ($2) AND type = 'ToolCallRequested'`,
};

/** Builds timelines of jobs from the types and times of their events. */
export class Timelines {
  private readonly columns: EventColumnReader;
  private readonly lanes = new WeakMap<
    EventColumns,
    { readonly eventCount: number; readonly lanes: readonly PhaseLane[] }
  >();

  constructor(
    private readonly pool: pg.Pool,
    private readonly folds: StreamFolds,
    private readonly cold?: ColdStorage,
  ) {
    this.columns = new EventColumnReader(pool, cold);
  }

  /** Returns what a job did in a window; `undefined` when there is no such job. */
  async build(jobId: JobId, options: TimelineOptions): Promise<JobTimeline | undefined> {
    const [columns, outline] = await Promise.all([
      this.columns.read(jobId),
      this.folds.foldJob(jobId, Number.MAX_SAFE_INTEGER),
    ]);
    if (!outline) return undefined;
    const from = options.from ?? columns.times[0] ?? options.now;
    const last = hasJobEnded(outline.job) ? (columns.times.at(-1) ?? options.now) : options.now;
    const window = createWindow(from, Math.max(from, options.to ?? last), options.width);
    const shown = this.findLanes(columns).filter(
      ({ start, end = Infinity }) => start <= window.to && end >= window.from,
    );
    const outlines = new Map(outline.phases.map((phase) => [phase.phase, phase]));
    const lanes = shown.slice(-options.maxPhases).flatMap(({ segments, ...lane }): TimelineLane[] => {
      const phase = outlines.get(lane.phase);
      return phase ? [{ ...lane, outline: phase, spans: mergeSegments(segments, window) }] : [];
    });
    return {
      window,
      eventCount: columns.positions.length,
      isTruncated: shown.length > options.maxPhases,
      lanes: await this.addNames(jobId, lanes),
      marks: collectMarks(columns, window),
    };
  }

  /** Lanes depend on the events alone, so those of a job without new events are kept as long as its columns are. */
  private findLanes(columns: EventColumns): readonly PhaseLane[] {
    const known = this.lanes.get(columns);
    const eventCount = columns.positions.length;
    if (known?.eventCount === eventCount) return known.lanes;
    const lanes = buildLanes(columns);
    this.lanes.set(columns, { eventCount, lanes });
    return lanes;
  }

  /** Adds the names of tools to the spans of one call, which are the only data that is read. Those of encrypted jobs are visible, too. */
  private async addNames(jobId: JobId, lanes: readonly TimelineLane[]): Promise<readonly TimelineLane[]> {
    const single = lanes.flatMap(({ spans }) => spans.filter(({ kind, count }) => kind === 'tool' && count === 1));
    if (single.length === 0) return lanes;
    const positions = single.slice(0, MAX_NAMES).map(({ fromPosition }) => fromPosition);
    const rows = await queryRows<{ position: number; name: string | null }>(this.pool, {
      ...NAMES,
      values: [jobId, positions],
    });
    const names = new Map(rows.map(({ position, name }) => [position, name]));
    if (positions.some((position) => !names.has(position)))
      for (const { position, type, data } of await readArchivedEvents(this.pool, jobId, this.cold))
        if (type === 'ToolCallRequested') names.set(position, (JSON.parse(data) as { name: string }).name);
    return lanes.map((lane) => ({
      ...lane,
      spans: lane.spans.map((span) => {
        const name = span.kind === 'tool' && span.count === 1 ? names.get(span.fromPosition) : undefined;
        return typeof name === 'string' ? { ...span, name } : span;
      }),
    }));
  }
}
