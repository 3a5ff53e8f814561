import { describe, expect, it } from 'vitest';
import { assertReadable, type EventToAppend } from './assert-readable.js';
import { UndecodableEvent } from './undecodable-event.js';

const jobId = '11111111-1111-4111-8111-111111111111';
const cancelled: EventToAppend = {
  streamId: `phase-${jobId}-1`,
  correlationId: jobId,
  type: 'PhaseCancelled',
  schemaVersion: 1,
  data: { reason: 'asked' },
};
const stored: EventToAppend = {
  streamId: 'secrets-acme',
  correlationId: 'secrets-acme',
  type: 'SecretStored',
  schemaVersion: 1,
  data: { actor: 'ada', name: 'TOKEN' },
};
const answered = (costMicroUsd: number): EventToAppend => ({
  ...cancelled,
  type: 'ModelResponded',
  data: {
    step: 1,
    model: 'default',
    content: '',
    calls: [],
    end: 'stop',
    usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false },
    costMicroUsd,
    durationMs: 1,
  },
});

describe('an event to be appended', () => {
  it('is accepted if its schema can read it', () => {
    expect(() => assertReadable(cancelled)).not.toThrow();
    expect(() => assertReadable(stored)).not.toThrow();
    expect(() => assertReadable(answered(Number.MAX_SAFE_INTEGER))).not.toThrow();
  });

  it.each([
    ['a cost above 2^53', answered(Number.MAX_SAFE_INTEGER + 1)],
    ['a cost below zero', answered(-1)],
    ['a cost with a fraction', answered(0.5)],
    ['a cost that JSON wrote as null, such as NaN', answered(null as never)],
    ['an unknown type', { ...cancelled, type: 'PhaseForgotten' }],
    ['a type that belongs to the other kind of stream', { ...cancelled, type: 'JobCancelled' }],
    ['a newer version', { ...cancelled, schemaVersion: 2 }],
    ['a version without an upcaster', { ...cancelled, schemaVersion: 0 }],
    ['a stream that is neither a job nor a phase', { ...cancelled, streamId: 'notes' }],
    ['a stream of the installation and the correlation of a job', { ...stored, correlationId: jobId }],
    ['a stream of the installation and an event of a job', { ...stored, type: 'PhaseCancelled' }],
    ['a stream of another job', { ...cancelled, correlationId: jobId.replace(/^1/, '2') }],
  ])('is rejected with %s', (_what, event) => {
    expect(() => assertReadable(event)).toThrow(UndecodableEvent);
  });
});
