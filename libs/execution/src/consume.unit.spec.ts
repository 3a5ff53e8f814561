import { expect, it } from 'vitest';
import { consume, decideRedelivery } from './consume.js';

const encrypted = '01234567-89ab-8def-8123-0123456789ab';

it.each([
  ['released', undefined],
  ['owned-elsewhere', { retryAt: 1_600 }],
  ['model-unreachable', { retryAt: 15_100 }],
  ['interrupted', { retryAt: 100 }],
] as const)('the message of a run that ends as %s is delivered again: %j', (outcome, redelivery) => {
  expect(decideRedelivery(outcome, 100)).toEqual(redelivery);
});

it('hides what an error says of an encrypted job', async () => {
  const failing = consume(
    encrypted,
    () => Promise.reject(new Error('the secret text')),
    () => undefined,
  );
  await expect(failing).rejects.not.toThrow('the secret text');
});
