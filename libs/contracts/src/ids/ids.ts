import { z } from 'zod';

declare const idOf: unique symbol;

/**
 * A string that identifies one kind of thing. The compiler refuses an id of another kind: a call id where a job id is expected.
 *
 * The mark exists in the types only and is optional. So a plain string is accepted as an id of any kind: a literal in a spec, a row of
 * a query, an argument of a command. What the compiler checks is the path between declarations that name the kind. An id that passes
 * through a `string`, a template or a key of a `Record` loses its kind, and is not checked after that.
 */
type Id<Kind extends string> = string & { readonly [idOf]?: Kind };

/** A job: a UUID, of version 8 for an encrypted job. It is also the correlation of the job's streams. */
export type JobId = Id<'JobId'>;
/** A stream of the log: `job-<job id>` or `phase-<job id>-<number>`. */
export type StreamId = Id<'StreamId'>;
/** An event: a UUID. A second event with the same id is not recorded. */
export type EventId = Id<'EventId'>;
/** A tool call, unique in its phase. The model's server chooses it, so its form is unknown. */
export type CallId = Id<'CallId'>;
/** A process of a service: `<service>-<uuid>`. It owns leases. */
export type ProcessId = Id<'ProcessId'>;
/** A message: the id that its sender gave. While a message is unfinished, a second one with the same id is not sent. */
export type MessageId = Id<'MessageId'>;
/** A message in its queue: the encoded id that the sender gave. Deliveries and dead letters have this id. */
export type QueuedMessageId = Id<'QueuedMessageId'>;

export const jobIdSchema: z.ZodType<JobId, JobId> = z.uuid();
export const eventIdSchema: z.ZodType<EventId, EventId> = z.uuid();
export const streamIdSchema: z.ZodType<StreamId, StreamId> = z.string();
export const callIdSchema: z.ZodType<CallId, CallId> = z.string();
export const processIdSchema: z.ZodType<ProcessId, ProcessId> = z.string();
export const queuedMessageIdSchema: z.ZodType<QueuedMessageId, QueuedMessageId> = z.string();
