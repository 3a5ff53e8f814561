import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  callIdSchema,
  eventIdSchema,
  jobIdSchema,
  processIdSchema,
  queuedMessageIdSchema,
  streamIdSchema,
  type CallId,
  type EventId,
  type JobId,
  type MessageId,
  type ProcessId,
  type QueuedMessageId,
  type StreamId,
} from './ids.js';

const UUID = '11111111-1111-4111-8111-111111111111';

it('the compiler refuses an id where an id of another kind is expected', () => {
  const callId: CallId = 'call_1';
  const jobId: JobId = UUID;
  const streamId: StreamId = `job-${jobId}`;
  const eventId: EventId = UUID;
  const readJob = (_id: JobId): void => {};
  readJob(jobId);
  // @ts-expect-error a call id
  readJob(callId);
  // @ts-expect-error an event id
  readJob(eventId);
  // @ts-expect-error a process id
  readJob('tactical-worker-1' as ProcessId);
  // @ts-expect-error a message id
  readJob('message-1' as MessageId);
  const findMessage = (_id: MessageId): void => {};
  // @ts-expect-error an encoded id would be encoded once more
  findMessage('message~31' as QueuedMessageId);
  // @ts-expect-error a stream id
  readJob(streamId);
  // @ts-expect-error a job id is not the id of its stream
  const stream: { streamId: StreamId } = { streamId: jobId };
  // @ts-expect-error a list of call ids
  const jobIds: readonly JobId[] = [callId];
  // @ts-expect-error a map is not read with an id of another kind
  new Map<JobId, number>().get(callId);
  // @ts-expect-error ids of two kinds are never compared
  expect(jobId === callId).toBe(false);
  expect([stream.streamId, jobIds[0]]).toEqual([UUID, 'call_1']);
});

it('an id that a schema parsed has its kind', () => {
  const { jobId, callId } = z.object({ jobId: jobIdSchema, callId: callIdSchema }).parse({ jobId: UUID, callId: 'c' });
  // @ts-expect-error a parsed call id
  const swapped: JobId = callId;
  expect([jobId, swapped]).toEqual([UUID, 'c']);
});

it('a string without a kind is accepted as an id of any kind', () => {
  const text: string = UUID;
  const ids: [JobId, CallId] = [text, text];
  const plain: string = ids[0];
  expect(plain).toBe(UUID);
});

it('schemas of ids accept and describe what they did as plain strings', () => {
  expect(jobIdSchema.safeParse('order-18').success).toBe(false);
  expect(eventIdSchema.safeParse('order-18').success).toBe(false);
  const described = (schema: z.ZodType): unknown => z.toJSONSchema(schema);
  for (const schema of [jobIdSchema, eventIdSchema]) expect(described(schema)).toEqual(described(z.uuid()));
  for (const schema of [callIdSchema, processIdSchema, queuedMessageIdSchema, streamIdSchema])
    expect(described(schema)).toEqual(described(z.string()));
});
