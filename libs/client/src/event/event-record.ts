import { z } from 'zod';
import { queryInteger, queryList, queryPosition } from '../http/query-values.js';
import { jobStatusSchema } from '../job/job-status.js';

/** One fact of the log as it was recorded. */
export const eventRecordSchema = z
  .object({
    /** Its place in the whole log; rises within a job, with gaps. */
    position: z.int().min(1),
    streamId: z.string(),
    /** Its place in its stream, from 1, without gaps. */
    version: z.int().min(1),
    eventId: z.uuid(),
    type: z.string(),
    schemaVersion: z.int().min(0),
    data: z.record(z.string(), z.unknown()),
    metadata: z.record(z.string(), z.unknown()),
    recordedAt: z.iso.datetime(),
    /** SHA-256 over the hash of the event before it in the stream and its own bytes, in hex. */
    hash: z.string(),
    /** Why the server cannot read the event, where that is so; the rest is as it is stored. */
    unreadable: z.string().optional(),
  })
  .meta({ id: 'EventRecord' });
export type EventRecord = z.infer<typeof eventRecordSchema>;

/** The query of `GET /v1/jobs/:id/events`, for pages and streams alike (`limit` is for pages only). */
export const eventsQuerySchema = z
  .strictObject({
    /** Only events behind this position. */
    after: queryPosition().default(0),
    limit: queryInteger({ min: 1, max: 1_000 }).default(200),
    types: queryList(z.string().regex(/^[A-Za-z][A-Za-z0-9]*$/, 'expected names of events'), 100).optional(),
  })
  .meta({ id: 'EventsQuery' });
export type EventsQuery = z.infer<typeof eventsQuerySchema>;

export const eventPageSchema = z
  .object({
    /** In the order of their positions, over all streams of the job. */
    items: z.array(eventRecordSchema),
    /** `after` of the next page; missing when this page reached the end of what is recorded now. */
    nextAfter: z.int().min(0).optional(),
  })
  .meta({ id: 'EventPage' });
export type EventPage = z.infer<typeof eventPageSchema>;

/** The name of the server-sent event that closes the stream of a job that has ended. */
export const STREAM_END = 'end';

/** The data of the server-sent event `end`. */
export const streamEndSchema = z.object({ status: jobStatusSchema }).meta({ id: 'StreamEnd' });
export type StreamEnd = z.infer<typeof streamEndSchema>;
