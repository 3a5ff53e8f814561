import { z } from 'zod';
import { queryInteger, queryList, queryPosition } from '../http/query-values.js';
import { actorSchema, jobStatusSchema, streamIdSchema, eventIdSchema } from '@phaseline/contracts';

/** An event of the log as it was recorded. */
export const eventRecordSchema = z
  .object({
    /** Position in the whole log. Increases within a job, with gaps. */
    position: z.int().min(1),
    streamId: streamIdSchema,
    /** Version in its stream, starting at 1, without gaps. */
    version: z.int().min(1),
    eventId: eventIdSchema,
    type: z.string(),
    schemaVersion: z.int().min(0),
    data: z.record(z.string(), z.unknown()),
    /** Who recorded the event, and what caused it. */
    metadata: z.looseObject({ actor: actorSchema.optional() }),
    recordedAt: z.iso.datetime(),
    /** SHA-256 of the previous event's hash in the stream and this event's bytes, in hex. */
    hash: z.string(),
    /** Set if the server cannot read the event: the reason. The other fields are as stored. */
    unreadableReason: z.string().optional(),
  })
  .meta({ id: 'EventRecord' });
export type EventRecord = z.infer<typeof eventRecordSchema>;

/** Query of `GET /v1/jobs/:id/events`, for pages and streams (`limit` applies to pages only). */
export const eventsQuerySchema = z
  .strictObject({
    /** Only events after this position. */
    after: queryPosition().default(0),
    limit: queryInteger({ min: 1, max: 1_000 }).default(200),
    types: queryList(z.string().regex(/^[A-Za-z][A-Za-z0-9]*$/, 'expected names of events'), 100).optional(),
  })
  .meta({ id: 'EventsQuery' });
export type EventsQuery = z.infer<typeof eventsQuerySchema>;

export const eventPageSchema = z
  .object({
    /** Events of all streams of the job, ordered by position. */
    items: z.array(eventRecordSchema),
    /** `after` of the next page; missing if this page reached the end of the log. */
    nextAfter: z.int().min(0).optional(),
  })
  .meta({ id: 'EventPage' });
export type EventPage = z.infer<typeof eventPageSchema>;

/** Name of the server-sent event that ends the stream when the job has ended. */
export const STREAM_END = 'end';

/** Data of the server-sent event `end`. */
export const streamEndSchema = z.object({ status: jobStatusSchema }).meta({ id: 'StreamEnd' });
export type StreamEnd = z.infer<typeof streamEndSchema>;
