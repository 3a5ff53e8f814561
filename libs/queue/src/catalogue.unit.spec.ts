import { computeJitteredBackoffMs } from '@phaseline/basics';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.js';

describe('the catalogue', () => {
  it('covers an outage of the event log of more than three minutes with the attempts of the catalogue', () => {
    for (const { attempts, backoff: wait } of Object.values(catalogue)) {
      const minTotalMs = Array.from({ length: attempts - 1 }, (_, index) =>
        computeJitteredBackoffMs(wait, index + 1, () => 0),
      ).reduce((sum, ms) => sum + ms);
      expect(minTotalMs).toBeGreaterThan(200_000);
    }
  });
});
