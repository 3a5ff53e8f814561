import { z } from 'zod';
import { queryInteger } from '../http/query-values.js';

/** Maximum number of phases in a timeline. If the window contains more, the last ones are returned. */
export const MAX_TIMELINE_PHASES = 1_000;

/** Query of `GET /v1/jobs/:id/timeline`. */
export const timelineQuerySchema = z
  .strictObject({
    /** Beginning of the window; by default the first event of the job. */
    from: z.iso.datetime().optional(),
    /** End of the window; by default the last event of the job, or now while it runs. */
    to: z.iso.datetime().optional(),
    /** Number of columns in which the window is drawn. Spans shorter than one are merged. */
    width: queryInteger({ min: 10, max: 4_000 }).default(800),
  })
  .meta({ id: 'TimelineQuery' });
export type TimelineQuery = z.infer<typeof timelineQuerySchema>;

const time = z.iso.datetime();
const position = z.int().min(1);

/** What a phase does in a span, or what it waits for. */
const timelineWaits = ['approval', 'question', 'child', 'model-server', 'pause', 'guard', 'slot'] as const;

const timelineSpanSchema = z
  .object({
    kind: z.enum(['model', 'tool', 'wait']),
    /** What a wait is for; absent if different waits were merged. */
    waitsFor: z.enum(timelineWaits).optional(),
    start: time,
    /** Absent while the span lasts. */
    end: time.optional(),
    /** Number of spans that were merged because each is shorter than a column. */
    count: z.int().min(1),
    /** Positions of the events that begin and end the span. */
    fromPosition: position,
    toPosition: position,
    /** Name of the tool, if the span is a single call. */
    name: z.string().optional(),
  })
  .meta({ id: 'TimelineSpan' });
export type TimelineSpan = z.infer<typeof timelineSpanSchema>;

const timelineMarkSchema = z
  .object({
    kind: z.enum(['retry', 'rejection', 'takeover', 'steering', 'compaction']),
    at: time,
    /** Number of marks of this kind in the same column. */
    count: z.int().min(1),
    /** Position of the first of them. */
    position,
    /** Number of the phase; absent for an event of the job itself. */
    phase: z.int().min(1).optional(),
  })
  .meta({ id: 'TimelineMark' });
export type TimelineMark = z.infer<typeof timelineMarkSchema>;

const timelinePhaseSchema = z
  .object({
    phase: z.int().min(1),
    attempt: z.int().min(1),
    kind: z.enum(['strategic', 'tactical']),
    /** State of the workflow. */
    state: z.string(),
    name: z.string(),
    start: time,
    /** Absent while the phase runs. */
    end: time.optional(),
    /** The outcome, or `failed` or `cancelled`; absent while the phase runs. */
    outcome: z.string().optional(),
    fromPosition: position,
    toPosition: position,
    spans: z.array(timelineSpanSchema),
  })
  .meta({ id: 'TimelinePhase' });
export type TimelinePhase = z.infer<typeof timelinePhaseSchema>;

/**
 * What a job did in a window of time, as lanes for drawing. All phases together have at most `4 * (width + phases + 2)` spans, and there are
 * at most `5 * (width + 1)` marks, however many events the window contains.
 */
export const timelineSchema = z
  .object({
    from: time,
    to: time,
    /** Length of a column in milliseconds. */
    columnMs: z.number().min(0),
    /** Number of events of the job. */
    eventCount: z.int().min(0),
    /** Whether earlier phases of the window are left out. */
    isTruncated: z.boolean(),
    phases: z.array(timelinePhaseSchema).max(MAX_TIMELINE_PHASES),
    marks: z.array(timelineMarkSchema),
  })
  .meta({ id: 'Timeline' });
export type Timeline = z.infer<typeof timelineSchema>;
