import { describe } from 'vitest';
import { admissionContract } from './admission-contract.fixture.js';
import { MemoryAdmission } from './memory-admission.js';

describe('slots in memory', () => {
  admissionContract({
    open: async (settings, workers) =>
      new MemoryAdmission({
        settings,
        clock: { now: () => new Date() },
        ...(workers ? { workers: (kind) => workers[kind] } : {}),
      }),
  });
});
