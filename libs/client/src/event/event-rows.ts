import { z } from 'zod';
import { queryInteger, queryPosition } from '../http/query-values.js';
import { eventsQuerySchema } from './event-record.js';

/** Maximum number of characters of the summary of a row. */
export const MAX_ROW_SUMMARY_CHARACTERS = 160;

/** An event as one row of a list: what it is and its summary, without its data. */
export const eventRowSchema = z
  .object({
    /** Position in the whole log. `GET …/events?after=<position - 1>&limit=1` returns the whole event. */
    position: z.int().min(1),
    /** When it was recorded: UTC, ISO 8601. */
    at: z.iso.datetime(),
    /** Number of the phase; absent for an event of the job itself. */
    phase: z.int().min(1).optional(),
    type: z.string(),
    /** Id of who recorded it. */
    actor: z.string().optional(),
    /** One line for people. Of an encrypted job it contains no content. */
    summary: z.string().max(MAX_ROW_SUMMARY_CHARACTERS + 1),
    /** How long the model or the tool took, in milliseconds. */
    durationMs: z.number().min(0).optional(),
  })
  .meta({ id: 'EventRow' });
export type EventRow = z.infer<typeof eventRowSchema>;

/** Query of `GET /v1/jobs/:id/events/rows`. */
export const eventRowsQuerySchema = eventsQuerySchema.extend({}).meta({ id: 'EventRowsQuery' });

export const eventRowPageSchema = z
  .object({
    items: z.array(eventRowSchema),
    /** `after` of the next page; missing if this page reached the end of the log. */
    nextAfter: z.int().min(0).optional(),
  })
  .meta({ id: 'EventRowPage' });
export type EventRowPage = z.infer<typeof eventRowPageSchema>;

/** Query of `GET /v1/jobs/:id/events/index`. */
export const eventIndexQuerySchema = z
  .strictObject({
    /** Number of events per page. */
    every: queryInteger({ min: 50, max: 100_000 }).default(200),
    /** Only events after this position, to extend an index: the position of its last anchor. */
    after: queryPosition().default(0),
  })
  .meta({ id: 'EventIndexQuery' });
export type EventIndexQuery = z.infer<typeof eventIndexQuerySchema>;

/** Where each page of a job's events begins, so that a list can show any of them without reading the others. */
export const eventIndexSchema = z
  .object({
    /** Number of events after `after`. */
    count: z.int().min(0),
    /** Times of the first and the last of them; absent if there is none. */
    firstAt: z.iso.datetime().optional(),
    lastAt: z.iso.datetime().optional(),
    /** Position of the last of them. */
    lastPosition: z.int().min(1).optional(),
    /**
     * One per page, in order: page k is `GET …/events?after=<anchors[k].position>&limit=<every>`. `at` is the time of the page's first
     * event.
     */
    anchors: z.array(z.object({ position: z.int().min(0), at: z.iso.datetime() })),
  })
  .meta({ id: 'EventIndex' });
export type EventIndex = z.infer<typeof eventIndexSchema>;
