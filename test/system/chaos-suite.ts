import { describe, expect, it } from 'vitest';
import { findRedisServer } from '@phaseline/local-stack';
import { buildShortFaultList, runChaos, type QueueBackend } from '@phaseline/chaos';

/**
 * A short form of `npm run chaos`: two replicas of each service in separate processes, from the build output, with
 * one fault of each kind while jobs run. Every job must end with exactly the expected bytes, no effect may happen twice, and
 * every question and approval is decided by exactly one of two people who decide at the same time.
 */

/**
 * Registers the spec for one queue backend; it is skipped, and reported as skipped, when there is no Redis to start.
 */
export async function chaosSuite(backend: QueueBackend): Promise<void> {
  const isAvailable = backend === 'postgres' || (await findRedisServer()) !== undefined;
  describe.skipIf(!isAvailable)(`chaos on ${backend} queues`, () => {
    it(
      'loses no job and no decision of a person, doubles no effect and leaves a log that verifies',
      { timeout: 900_000 },
      async () => {
        const lines: string[] = [];
        const { jobs, faults, audit, stillWaiting } = await runChaos({
          backend,
          faults: buildShortFaultList(backend),
          replicas: 2,
          shape: { rounds: 1, todos: 2 },
          modelMs: 40,
          jobsAtOnce: 3,
          pauseMs: 0,
          seed: 1,
          onProgress: (line) => lines.push(line),
        });
        expect(
          jobs.flatMap(({ jobId, losses }) => losses.map((loss) => `${jobId}: ${loss}`)),
          lines.join('\n'),
        ).toEqual([]);
        expect(jobs.map(({ doubled }) => doubled)).toEqual(jobs.map(() => 0));
        expect(faults.map(({ name, injected }) => [name, injected])).toEqual(faults.map(({ name }) => [name, 1]));
        expect(audit.problems).toBe(0);
        // Questions and approvals waited through the outage, and nothing is left of them.
        expect(jobs.some(({ waits }) => waits > 0)).toBe(true);
        expect(stillWaiting).toBe(0);
        // The killed processes were working: without this the run would have proven nothing.
        expect(jobs.some(({ takeovers }) => takeovers > 0)).toBe(true);
        expect(
          jobs.some(({ unknownWithEffect, unknownWithoutEffect }) => unknownWithEffect + unknownWithoutEffect > 0),
        ).toBe(true);
      },
    );
  });
}
