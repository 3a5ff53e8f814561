import { describe, expect, it } from 'vitest';
import { jobEventDefinitions } from '../job/job-events.js';
import { phaseEventDefinitions } from '../phase/phase-events.js';
import { decodePhaseEvent } from './decode-event.js';
import { describeEvents } from './describe-events.js';
import { UndecodableEvent } from './undecodable-event.js';

describe('the page of events', () => {
  it('says what the schemas say', async () => {
    await expect(describeEvents()).toMatchFileSnapshot('../../../../docs/events.md');
  });

  it('lists every event once: a name is stored data and never used twice', () => {
    const names = [...jobEventDefinitions, ...phaseEventDefinitions].map((definition) => definition.type);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('decoding a stored event', () => {
  const stored = { streamId: 'phase-x-1', version: 7, type: 'PhaseCancelled', schemaVersion: 1, data: { reason: 'r' } };

  it('gives the event in its shape', () => {
    expect(decodePhaseEvent(stored)).toEqual({ type: 'PhaseCancelled', data: { reason: 'r' } });
  });

  it.each([
    ['an unknown name', { type: 'SomethingElse' }],
    ['a version of the future', { schemaVersion: 2 }],
    ['a shape that does not fit', { data: { reason: 7 } }],
  ])('stops the replay at %s and names the place', (_what, change) => {
    expect(() => decodePhaseEvent({ ...stored, ...change })).toThrow(UndecodableEvent);
    expect(() => decodePhaseEvent({ ...stored, ...change })).toThrow(/event 7 of stream phase-x-1/);
  });
});
