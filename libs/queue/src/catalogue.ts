import { messageSpecs, SUBMISSION_JSON_BOUNDS, type Payloads, type QueueName } from '@phaseline/contracts';
import type { Backoff } from '@phaseline/basics';
import type { z } from 'zod';
import type { JsonBounds } from './json-scan.js';

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

/** Declaration of a queue's messages together with their delivery. */
export interface Contract<Payload> extends Policy {
  readonly schema: z.ZodType<Payload>;
  /** Derives the id of a message. Undefined: every send adds a message. */
  readonly id: (payload: Payload) => string | undefined;
  /** Limits on the JSON text of a message, checked before it is parsed. */
  readonly bounds: JsonBounds;
}

export type Catalogue = { readonly [Name in QueueName]: Contract<Payloads[Name]> };

/**
 * Twenty attempts with waits from 0.5 s to 30 s: enough for the event log to be unavailable for nine minutes, which is the usual
 * cause of a failed delivery. Handlers deal with failures of models and tools themselves.
 */
const defaultPolicy = { attempts: 20, backoff: { firstMs: 500, maxMs: 30_000 }, maxStalls: 50 } as const;

/** Limits for messages that contain only ids. */
const idsOnlyBounds: JsonBounds = { bytes: 64 * 1024, values: 100, depth: 8 };

/** Delivery of messages that contain only ids. What they refer to is in the event log, so the reconciler can send a lost one again. */
const idsOnly = { ...defaultPolicy, bounds: idsOnlyBounds, concurrency: 10, durable: false } as const;

/** Contracts of all queues. None keeps finished messages: the event log is the history. */
export const catalogue: Catalogue = {
  // The only messages whose content is not in the event log: losing one would lose a submission.
  jobs: { ...messageSpecs.jobs, ...defaultPolicy, bounds: SUBMISSION_JSON_BOUNDS, concurrency: 4, durable: true },
  strategic: { ...messageSpecs.strategic, ...idsOnly },
  tactical: { ...messageSpecs.tactical, ...idsOnly },
  tools: { ...messageSpecs.tools, ...idsOnly },
  timers: { ...messageSpecs.timers, ...idsOnly },
  // One import may take minutes of a processor.
  repositories: { ...messageSpecs.repositories, ...idsOnly, concurrency: 2 },
};
