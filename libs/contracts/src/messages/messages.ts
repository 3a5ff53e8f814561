import { jobIdSchema, callIdSchema, processIdSchema, type MessageId } from '../ids/ids.js';
import { z } from 'zod';
import { submitRequestSchema } from '../submission/submit-request.js';

/** Declares the messages of a queue: their schema, and how the id of a message is derived from its payload. */
function declareMessage<Schema extends z.ZodType, Id extends string | undefined>(
  schema: Schema,
  id: (payload: z.output<Schema>) => Id,
) {
  return { schema, id };
}

/** Tells a strategic or tactical worker to check a phase for work. `version` is the stream version that the sender saw. */
const phaseMessage = declareMessage(
  z.object({
    jobId: jobIdSchema,
    phase: z.int().nonnegative(),
    version: z.int().nonnegative(),
    epoch: z.int().nonnegative(),
    traceparent: z.string().max(200).optional(),
  }),
  ({ jobId, phase, version, epoch }) => `${jobId}-${phase}-v${version}-e${epoch}`,
);

/** Tells a tool runner to run a tool call. */
const toolMessage = declareMessage(
  z.object({
    jobId: jobIdSchema,
    phase: z.int().nonnegative(),
    callId: callIdSchema.check(z.minLength(1), z.maxLength(1_000)),
    epoch: z.int().nonnegative(),
    /** The worker that requested the call, to which the phase is handed over when it can continue. */
    worker: processIdSchema.check(z.maxLength(200)).optional(),
    traceparent: z.string().max(200).optional(),
  }),
  ({ jobId, phase, callId, epoch }) => `${jobId}-${phase}-${callId}-e${epoch}`,
);

/** Tells an orchestrator that a timer of a job is due. Sent with a delay. */
const timerMessage = declareMessage(
  z.object({
    jobId: jobIdSchema,
    timer: z.string().min(1).max(1_000),
    traceparent: z.string().max(200).optional(),
  }),
  ({ jobId, timer }) => `${jobId}-${timer}`,
);

/** Tells a tool runner to import the repository of a job (`import`), or to make the output with that id. */
const repositoryMessage = declareMessage(
  z.object({
    jobId: jobIdSchema,
    work: z.string().min(1).max(200),
    traceparent: z.string().max(200).optional(),
  }),
  ({ jobId, work }) => `${jobId}-${work}`,
);

const declarations = {
  /** A submission. It has no id: each message is one, and a repetition is recognised by its idempotency key. */
  jobs: declareMessage(submitRequestSchema, () => undefined),
  strategic: phaseMessage,
  tactical: phaseMessage,
  tools: toolMessage,
  timers: timerMessage,
  repositories: repositoryMessage,
};

/** Queue names are stored data: never rename one. */
export type QueueName = keyof typeof declarations;
export const queueNames = Object.keys(declarations) as readonly QueueName[];

/** Type of the payload of each queue. */
export type Payloads = { readonly [Name in QueueName]: z.output<(typeof declarations)[Name]['schema']> };
export type PhaseMessage = Payloads['strategic'];

interface MessageSpec<Payload, Id> {
  readonly schema: z.ZodType<Payload>;
  /**
   * Derives the id of a message. The same work has the same id: while a message with it is unfinished, a second send does nothing.
   * Undefined: every send adds a message.
   */
  readonly id: (payload: Payload) => Id;
}

/** Schema and id of the messages of every queue. */
export const messageSpecs: { readonly [Name in QueueName]: MessageSpec<Payloads[Name], MessageId | undefined> } =
  declarations;

/** Queues whose messages have an id. */
export type WorkQueueName = Exclude<QueueName, 'jobs'>;
const workMessageSpecs: { readonly [Name in WorkQueueName]: MessageSpec<Payloads[Name], MessageId> } = declarations;

/** Derives the id under which a message is sent. */
export function deriveMessageId<Name extends WorkQueueName>(queue: Name, payload: Payloads[Name]): MessageId {
  return workMessageSpecs[queue].id(payload);
}
