import type { ControlRequest } from '@phaseline/domain';
import { expect, it } from 'vitest';
import { Engine } from './engine.js';
import { useStore } from './use-store.fixture.js';
import { createThreePhasePolicy } from './scripts.js';

const opened = useStore();

const key = { idempotencyKey: 'the-key' };
const pause: ControlRequest = { action: 'pause', actor: 'ada', reason: 'lunch' };

it.each<[string, ControlRequest]>([
  ['another action of the same actor', { action: 'cancel', actor: 'ada', reason: 'lunch' }],
  ['the opposite action', { action: 'resume', actor: 'ada', reason: 'lunch' }],
  ['the same action for another reason', { action: 'pause', actor: 'ada', reason: 'fire' }],
  ['the same action of another actor', { action: 'pause', actor: 'eve', reason: 'lunch' }],
])('the key of a control request does not cover %s', async (_, other) => {
  const subject = new Engine({ store: opened.store, policy: createThreePhasePolicy() });
  const jobId = await subject.submit();
  await subject.driver.advance(jobId);
  expect(await subject.driver.control(jobId, pause, key)).toEqual({ kind: 'recorded' });
  const before = await opened.store.readCorrelation(jobId);
  expect(await subject.driver.control(jobId, other, key)).toEqual({ kind: 'key-conflict' });
  expect(await opened.store.readCorrelation(jobId)).toHaveLength(before.length);
  expect(await subject.driver.control(jobId, other, { idempotencyKey: 'another-key' })).not.toMatchObject({
    kind: 'key-conflict',
  });
});
