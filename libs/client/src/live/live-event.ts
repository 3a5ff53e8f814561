import { jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { queryList } from '../http/query-values.js';

/** Maximum number of jobs whose answers one connection watches. */
const MAX_WATCHED_JOBS = 20;

/** Query of `GET /v1/live`. */
export const liveQuerySchema = z
  .strictObject({
    /** Jobs whose answers are sent while models write them. */
    watch: queryList(jobIdSchema, MAX_WATCHED_JOBS).default([]),
  })
  .meta({ id: 'LiveQuery' });
export type LiveQuery = z.infer<typeof liveQuerySchema>;

/** Data of an event that says everything by its name. */
const empty: z.ZodType<object> = z.object({});

/** The server-sent events of `GET /v1/live`, by name. */
const liveEventSchemas = {
  /** The first event of a connection. */
  hello: z.object({
    /** Release of the server. A page that was loaded from another one should be loaded again. */
    release: z.string(),
    /** The watched jobs. Those that the caller may not read are left out; answers of encrypted jobs are not sent. */
    watching: z.array(z.object({ jobId: jobIdSchema, hasAnswers: z.boolean() })),
  }),
  /** These jobs have new events. */
  jobs: z.object({ jobIds: z.array(jobIdSchema) }),
  /** Something that waits for a person may have changed. */
  inbox: empty,
  /** A part of an answer that a model is writing. The event `ModelResponded` in the log is authoritative. */
  answer: z.object({
    jobId: jobIdSchema,
    phase: z.int().min(1),
    step: z.int().min(1),
    /** Number of the attempt at the model call, counted from 1. */
    attempt: z.int().min(1),
    /** What the call is for, if it is not a step of the work. */
    purpose: z.enum(['summary', 'judge', 'reflection']).optional(),
    /** Number of the message about this attempt on this connection, counted from 0. */
    sequence: z.int().min(0),
    /** Text to append. */
    text: z.string(),
    /** Set if the text replaces everything before: another call, another attempt, or the first message about the job. */
    reset: z.literal(true).optional(),
    /** Set if the answer is complete. */
    hasEnded: z.literal(true).optional(),
  }),
  /** Hints may have been lost. Read again what is shown. */
  resynchronise: empty,
} as const;

type LiveEventName = keyof typeof liveEventSchemas;

/** An event of `GET /v1/live`. All are hints that may get lost: read the data that they are about. */
export type LiveEvent = {
  [Name in LiveEventName]: { readonly type: Name } & z.infer<(typeof liveEventSchemas)[Name]>;
}[LiveEventName];

/** Encodes an event as a server-sent event. */
export function encodeLiveEvent({ type, ...data }: LiveEvent): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Parses a server-sent event; `undefined` for one that only a newer server sends. Throws if its data is invalid. */
export function parseLiveEvent(name: string, data: string): LiveEvent | undefined {
  if (!Object.hasOwn(liveEventSchemas, name)) return undefined;
  const type = name as LiveEventName;
  // The schema of the name has parsed the data.
  return { type, ...liveEventSchemas[type].parse(JSON.parse(data)) } as LiveEvent;
}
