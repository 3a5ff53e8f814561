import { z } from 'zod';
import type { Backoff } from '@phaseline/basics';
import type { JsonBounds } from './json-scan.js';

/** Tells a strategic or tactical worker to check a phase for work. `version` is the stream version that the sender saw. */
export const phaseMessageSchema = z.object({
  jobId: z.uuid(),
  phase: z.int().nonnegative(),
  version: z.int().nonnegative(),
  epoch: z.int().nonnegative(),
  traceparent: z.string().max(200).optional(),
});
export type PhaseMessage = z.infer<typeof phaseMessageSchema>;

/** Tells a tool runner to run a tool call. */
export const toolMessageSchema = z.object({
  jobId: z.uuid(),
  phase: z.int().nonnegative(),
  callId: z.string().min(1).max(1_000),
  epoch: z.int().nonnegative(),
  traceparent: z.string().max(200).optional(),
});
export type ToolMessage = z.infer<typeof toolMessageSchema>;

/** Tells an orchestrator that a timer of a job is due. Sent with a delay. */
export const timerMessageSchema = z.object({
  jobId: z.uuid(),
  timer: z.string().min(1).max(1_000),
  traceparent: z.string().max(200).optional(),
});
export type TimerMessage = z.infer<typeof timerMessageSchema>;

/** Queue names are stored data: never rename one. */
export const queueNames = ['jobs', 'strategic', 'tactical', 'tools', 'timers'] as const;
export type QueueName = (typeof queueNames)[number];

/** Payload type of each queue. `Job` is the output type of the application's schema for `jobs`. */
export interface Payloads<Job> {
  readonly jobs: Job;
  readonly strategic: PhaseMessage;
  readonly tactical: PhaseMessage;
  readonly tools: ToolMessage;
  readonly timers: TimerMessage;
}

/** Delivery policy of a queue. It is applied by the worker; retry options set by a foreign producer are ignored. */
export interface Policy {
  /** Failed handler runs after which the message becomes a dead letter. A run interrupted by a crash or a shutdown does not count. */
  readonly attempts: number;
  readonly backoff: Backoff;
  /** Number of workers that may die while handling a message. High, because workers are killed in normal operation; only a message that crashes its workers exceeds it. */
  readonly maxStalls: number;
  /** Messages handled concurrently in one process, unless `work` sets another number. */
  readonly concurrency: number;
  /**
   * If true, a send resolves when PostgreSQL has flushed the message to disk. If false, the message survives a crash of any client
   * process but may be lost if the database server crashes within half a second; the reconciler then sends it again.
   */
  readonly durable: boolean;
}

export interface Contract<Payload> extends Policy {
  readonly schema: z.ZodType<Payload>;
  /** Limits on the JSON text of a message, checked before it is parsed. */
  readonly bounds: JsonBounds;
  /** Message id of a payload. While a message with it is unfinished, a second send does nothing. Undefined: every send adds a message. */
  readonly id: (payload: Payload) => string | undefined;
}

export type Catalogue<Job> = { readonly [Name in QueueName]: Contract<Payloads<Job>[Name]> };

/** Contract of the queue `jobs`, provided by the application because it defines what a submission is. */
export interface JobsContract<Job> {
  readonly schema: z.ZodType<Job>;
  /** Default: 64 KiB, as for messages that contain only ids. */
  readonly bounds?: JsonBounds;
  /** Message id of a submission, for example an idempotency key. */
  readonly id?: (job: Job) => string | undefined;
}

/**
 * Twenty attempts with waits from 0.5 s to 30 s: enough for the event log to be unavailable for nine minutes, which is the usual
 * cause of a failed delivery. Handlers deal with failures of models and tools themselves.
 */
const defaultPolicy = { attempts: 20, backoff: { firstMs: 500, maxMs: 30_000 }, maxStalls: 50 } as const;

/** Limits for messages that contain only ids. */
const idsOnlyBounds: JsonBounds = { bytes: 64 * 1024, values: 100, depth: 8 };

/** Builds the contracts of all queues. None keeps finished messages: the event log is the history. */
export function createCatalogue<Job>(jobs: JobsContract<Job> | undefined): Catalogue<Job> {
  const phaseId = (message: PhaseMessage): string =>
    `${message.jobId}-${message.phase}-${message.version}-${message.epoch}`;
  return {
    // The only messages whose content is not in the event log: losing one would lose a submission.
    jobs: {
      ...defaultPolicy,
      schema: jobs?.schema ?? z.never(),
      bounds: jobs?.bounds ?? idsOnlyBounds,
      id: jobs?.id ?? (() => undefined),
      concurrency: 4,
      durable: true,
    },
    strategic: {
      ...defaultPolicy,
      schema: phaseMessageSchema,
      bounds: idsOnlyBounds,
      id: phaseId,
      concurrency: 10,
      durable: false,
    },
    tactical: {
      ...defaultPolicy,
      schema: phaseMessageSchema,
      bounds: idsOnlyBounds,
      id: phaseId,
      concurrency: 10,
      durable: false,
    },
    tools: {
      ...defaultPolicy,
      schema: toolMessageSchema,
      bounds: idsOnlyBounds,
      id: (message) => `${message.jobId}-${message.phase}-${message.callId}-${message.epoch}`,
      concurrency: 10,
      durable: false,
    },
    // The timer itself is stored as an event, so a lost message is sent again with the same id.
    timers: {
      ...defaultPolicy,
      schema: timerMessageSchema,
      bounds: idsOnlyBounds,
      id: ({ jobId, timer }) => `${jobId}-${timer}`,
      concurrency: 10,
      durable: false,
    },
  };
}
