import { computeJitteredBackoffMs } from '@phaseline/basics';
import { describe, expect, it } from 'vitest';
import { createCatalogue, queueNames } from './catalogue.js';

describe('catalogueOf', () => {
  it('covers an outage of the event log of more than three minutes with the attempts of the catalogue', () => {
    for (const name of queueNames) {
      const { attempts, backoff: wait } = createCatalogue(undefined)[name];
      const minTotalMs = Array.from({ length: attempts - 1 }, (_, index) =>
        computeJitteredBackoffMs(wait, index + 1, () => 0),
      ).reduce((sum, ms) => sum + ms);
      expect(minTotalMs).toBeGreaterThan(200_000);
    }
  });
});
