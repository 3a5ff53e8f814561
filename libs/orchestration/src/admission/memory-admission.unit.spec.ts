import { describe } from 'vitest';
import { describeAdmissionContract } from './admission-contract.fixture.js';
import { MemoryAdmission } from './memory-admission.js';

describe('slots in memory', () => {
  describeAdmissionContract({
    open: async (settings, workers) =>
      new MemoryAdmission({
        settings,
        clock: { now: () => new Date() },
        ...(workers ? { workers: (kind) => workers[kind] } : {}),
      }),
  });
});
