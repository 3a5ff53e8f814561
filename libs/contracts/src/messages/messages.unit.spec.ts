import { describe, expect, it } from 'vitest';
import { deriveMessageId, messageSpecs, queueNames } from './messages.js';
import type { Sender } from './sender.js';

const jobId = '0190a8f2-7b1e-7c3d-9e4f-5a6b7c8d9e0f';
const phase = { jobId, phase: 3, version: 12, epoch: 1 };

describe('a message', () => {
  it('has the id that earlier releases gave it, because messages of both may wait in one queue', () => {
    expect(deriveMessageId('strategic', phase)).toBe(`${jobId}-3-v12-e1`);
    expect(deriveMessageId('tactical', phase)).toBe(`${jobId}-3-v12-e1`);
    expect(deriveMessageId('tools', { jobId, phase: 3, callId: 'call_9', epoch: 1 })).toBe(`${jobId}-3-call_9-e1`);
    expect(deriveMessageId('timers', { jobId, timer: 'deadline' })).toBe(`${jobId}-deadline`);
    expect(messageSpecs.jobs.id({ agent: 'creator' })).toBeUndefined();
  });

  it('keeps the name of its queue, which is stored', () => {
    expect(queueNames).toEqual(['jobs', 'strategic', 'tactical', 'tools', 'timers', 'repositories']);
  });

  it('does not compile with the payload of another queue', () => {
    const send: Sender['send'] = async () => {};
    void send('tools', { jobId, phase: 3, callId: 'call_9', epoch: 1 });
    // @ts-expect-error A tool call is identified by its id, not by a version.
    void send('tools', phase);
    // @ts-expect-error A misspelt budget.
    void send('jobs', { agent: 'creator', budgets: { maxCost: 1 } });
  });
});
