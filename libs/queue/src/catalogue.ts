import { z } from 'zod';
import type { Backoff } from './backoff.js';
import type { JsonBounds } from './json-scan.js';

/** "Look at this phase": taken by strategic and tactical workers. `version` is the stream version the sender saw. */
export const phaseMessageSchema = z.object({
  jobId: z.uuid(),
  phase: z.int().nonnegative(),
  version: z.int().nonnegative(),
  epoch: z.int().nonnegative(),
  traceparent: z.string().max(200).optional(),
});
export type PhaseMessage = z.infer<typeof phaseMessageSchema>;

/** "Run this tool call": taken by tool runners. */
export const toolMessageSchema = z.object({
  jobId: z.uuid(),
  phase: z.int().nonnegative(),
  callId: z.string().min(1).max(1_000),
  epoch: z.int().nonnegative(),
  traceparent: z.string().max(200).optional(),
});
export type ToolMessage = z.infer<typeof toolMessageSchema>;

/** "Look at this job, a timer of it is due": taken by orchestrators, and sent with a delay. */
export const timerMessageSchema = z.object({
  jobId: z.uuid(),
  timer: z.string().min(1).max(1_000),
  traceparent: z.string().max(200).optional(),
});
export type TimerMessage = z.infer<typeof timerMessageSchema>;

/** Queue names are stored data: never rename one. */
export const queueNames = ['jobs', 'strategic', 'tactical', 'tools', 'timers'] as const;
export type QueueName = (typeof queueNames)[number];

/** What a message of each queue carries. `Job` is what the application's schema for `jobs` gives. */
export interface Payloads<Job> {
  readonly jobs: Job;
  readonly strategic: PhaseMessage;
  readonly tactical: PhaseMessage;
  readonly tools: ToolMessage;
  readonly timers: TimerMessage;
}

/** How a queue treats its messages. The worker's policy counts; what a foreign producer asked for is ignored. */
export interface Policy {
  /** Handler runs that may fail before the message is a dead letter. A run cut short by a crash or a shutdown does not count. */
  readonly attempts: number;
  readonly backoff: Backoff;
  /** Times a message may be taken from a worker that vanished. Killed workers are normal, so only poison reaches this. */
  readonly maxStalls: number;
  /** Messages handled side by side in one process, unless `work` says otherwise. */
  readonly concurrency: number;
  /**
   * True: a send returns when the message is safe on PostgreSQL's disk. False: it is safe from a crash of any process but may
   * be lost when the database server itself crashes within half a second, which the reconciler mends.
   */
  readonly durable: boolean;
}

export interface Contract<Payload> extends Policy {
  readonly schema: z.ZodType<Payload>;
  /** Limits that the text of a message keeps before it is parsed. */
  readonly bounds: JsonBounds;
  /** The id that makes a second send of the same thing a no-op while the first waits or runs. Undefined: every send counts. */
  readonly id: (payload: Payload) => string | undefined;
}

export type Catalogue<Job> = { readonly [Name in QueueName]: Contract<Payloads<Job>[Name]> };

/** The part of the catalogue that the application brings: submissions are its language, not the queue's. */
export interface JobsContract<Job> {
  readonly schema: z.ZodType<Job>;
  /** Default: 64 KiB, as for messages that hold nothing but ids. */
  readonly bounds?: JsonBounds;
  /** For example an idempotency key. */
  readonly id?: (job: Job) => string | undefined;
}

/**
 * Twenty attempts from half a second up to half a minute outlast nine minutes in which the event log is away. Handlers decide
 * about failures of models and tools themselves, so what reaches the queue is mostly that.
 */
const patient = { attempts: 20, backoff: { firstMs: 500, maxMs: 30_000 }, maxStalls: 50 } as const;

/** Messages that only say where to look hold a few ids. */
const ids: JsonBounds = { bytes: 64 * 1024, values: 100, depth: 8 };

/** Retention is the same for all: a message is gone when it has ended. The event log is the history. */
export function catalogueOf<Job>(jobs: JobsContract<Job> | undefined): Catalogue<Job> {
  const phaseId = (message: PhaseMessage): string =>
    `${message.jobId}-${message.phase}-${message.version}-${message.epoch}`;
  return {
    // The only messages that are not ids of something in the log: to lose one is to lose a submission.
    jobs: {
      ...patient,
      schema: jobs?.schema ?? z.never(),
      bounds: jobs?.bounds ?? ids,
      id: jobs?.id ?? (() => undefined),
      concurrency: 4,
      durable: true,
    },
    strategic: { ...patient, schema: phaseMessageSchema, bounds: ids, id: phaseId, concurrency: 10, durable: false },
    tactical: { ...patient, schema: phaseMessageSchema, bounds: ids, id: phaseId, concurrency: 10, durable: false },
    tools: {
      ...patient,
      schema: toolMessageSchema,
      bounds: ids,
      id: (message) => `${message.jobId}-${message.phase}-${message.callId}-${message.epoch}`,
      concurrency: 10,
      durable: false,
    },
    // The timer itself is an event; whoever looks at the job sends a lost message again, under the same id.
    timers: {
      ...patient,
      schema: timerMessageSchema,
      bounds: ids,
      id: ({ jobId, timer }) => `${jobId}-${timer}`,
      concurrency: 10,
      durable: false,
    },
  };
}
