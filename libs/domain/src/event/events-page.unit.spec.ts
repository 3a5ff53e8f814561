import { describe, expect, it } from 'vitest';
import { administrationEventDefinitions } from '../administration/administration-events.js';
import { jobEventDefinitions } from '../job/job-events.js';
import { phaseEventDefinitions } from '../phase/phase-events.js';
import { decodePhaseEvent } from './decode-event.js';
import { describeEvents } from './describe-events.js';
import { UndecodableEvent } from './undecodable-event.js';

describe('the page of events', () => {
  it('matches the schemas', async () => {
    await expect(describeEvents()).toMatchFileSnapshot('../../../../docs/reference/events.md');
  });

  it('lists every event once: names are stored, so none may be used twice', () => {
    const names = [...jobEventDefinitions, ...phaseEventDefinitions, ...administrationEventDefinitions].map(
      (definition) => definition.type,
    );
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('decoding a stored event', () => {
  const stored = { streamId: 'phase-x-1', version: 7, type: 'PhaseCancelled', schemaVersion: 1, data: { reason: 'r' } };

  it('returns the event', () => {
    expect(decodePhaseEvent(stored)).toEqual({ type: 'PhaseCancelled', data: { reason: 'r' } });
  });

  it.each([
    ['an unknown name', { type: 'SomethingElse' }],
    ['a newer version', { schemaVersion: 2 }],
    ['an invalid shape', { data: { reason: 7 } }],
  ])('throws for %s and names the event', (_what, change) => {
    expect(() => decodePhaseEvent({ ...stored, ...change })).toThrow(UndecodableEvent);
    expect(() => decodePhaseEvent({ ...stored, ...change })).toThrow(/event 7 of stream phase-x-1/);
  });
});
