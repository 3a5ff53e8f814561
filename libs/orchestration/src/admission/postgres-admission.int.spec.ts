import { randomUUID } from 'node:crypto';
import { createPool } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeAdmissionContract, createRequest, type AdmissionPlace } from './admission-contract.fixture.js';
import type { Admission, AdmissionSettings, SlotRequest } from './admission.js';
import { expectFair, flood } from './fairness.fixture.js';
import { MemoryAdmission } from './memory-admission.js';
import { PostgresAdmission } from './postgres-admission.js';

let database: TestDatabase;
let pool: Pool;
let owner: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 12 });
  owner = createPool(database.ownerUrl, { max: 1 });
});
afterAll(async () => {
  await pool?.end();
  await owner?.end();
  await database?.drop();
});

const place: AdmissionPlace = {
  open: async (settings, workers) => {
    await owner.query('TRUNCATE phaseline.slots, phaseline.tenant_turns, phaseline.tenant_limits, phaseline.processes');
    for (const [kind, slots] of Object.entries(workers ?? {})) {
      // Two processes; one of them died long ago.
      await owner.query(
        `INSERT INTO phaseline.processes (process_id, service, slots, heartbeat_at)
         VALUES ($1, $3, $4, now()), ($2, $3, 50, now() - interval '1 minute')`,
        [randomUUID(), randomUUID(), `${kind}-worker`, slots],
      );
    }
    return new PostgresAdmission(pool, { settings });
  },
};

describe('slots in PostgreSQL', () => {
  describeAdmissionContract(place);

  describe('used by several orchestrators concurrently', () => {
    const settings: AdmissionSettings = { window: 7, tenantLimit: 3 };
    let replicas: Admission[];
    beforeEach(async () => {
      await place.open(settings);
      replicas = [0, 1, 2].map(() => new PostgresAdmission(pool, { settings }));
    });

    it('never grants more slots than there is room for, and each slot once', async () => {
      const jobs = Array.from({ length: 60 }, (_, index) => createRequest(`tenant-${index % 5}`));
      const held = new Set<string>();
      let maxHeld = 0;
      const waits = new Map<string, PromiseWithResolvers<void>>();
      const hold = (jobId: string): void => {
        expect(held.has(jobId)).toBe(false);
        held.add(jobId);
        maxHeld = Math.max(maxHeld, held.size);
        waits.get(jobId)!.resolve();
      };
      for (const { jobId } of jobs) waits.set(jobId, Promise.withResolvers());
      await Promise.all(
        jobs.map(async (job, index) => {
          const replica = replicas[index % 3]!;
          const { isGranted, grantsToOthers } = await replica.requestSlot(job);
          if (isGranted) hold(job.jobId);
          for (const { jobId } of grantsToOthers) hold(jobId);
          await waits.get(job.jobId)!.promise;
          await new Promise((resolve) => setTimeout(resolve, 2));
          held.delete(job.jobId);
          for (const { jobId } of await replica.releaseSlot(job.jobId)) hold(jobId);
        }),
      );
      expect(maxHeld).toBeLessThanOrEqual(7);
      expect(maxHeld).toBeGreaterThan(1);
      expect(await replicas[0]!.listSlots()).toEqual([]);
    });
  });

  it('makes ten tenants with 5 jobs each wait at most twice as long next to one with many jobs', async () => {
    await expectFair(() => place.open({ window: 16 }), { phases: 1, phaseMs: 60_000, seed: 1 }, flood(300));
  });

  it('decides like the implementation in memory, for random requests in random order', async () => {
    const settings: AdmissionSettings = { window: 5, tenantLimit: 3, tenantLimits: { t0: 4 } };
    for (let seed = 1; seed <= 6; seed += 1) {
      const random = createRandom(seed);
      const real = await place.open(settings);
      const model = new MemoryAdmission({ settings, clock: { now: () => new Date() } });
      const jobs: SlotRequest[] = [];
      const step = (slots: Admission, action: number, job: SlotRequest): Promise<unknown> => {
        if (action < 7) return slots.requestSlot(job);
        return action < 9 ? slots.releaseSlot(job.jobId) : slots.recordRunning(job);
      };
      for (let turn = 0; turn < 150; turn += 1) {
        const old = random(3) > 0 ? jobs[random(jobs.length)] : undefined;
        const kind = random(2) === 0 ? 'strategic' : 'tactical';
        const job = old
          ? { ...old, phase: old.phase + (random(2) === 0 ? 1 : 0), kind: kind as SlotRequest['kind'] }
          : createRequest(`t${random(4)}`, { kind, priority: random(3) });
        if (old) jobs[jobs.indexOf(old)] = job;
        else jobs.push(job);
        const action = random(10);
        const answers = [await step(real, action, job), await step(model, action, job)].map(withoutTimes);
        expect(answers[0], `seed ${seed}, turn ${turn}`).toEqual(answers[1]);
      }
      const [left, right] = await Promise.all([real.listSlots(), model.listSlots()]);
      const shape = ({ jobId, phase, grantedAt }: (typeof left)[number]): string =>
        `${jobId} ${phase} ${grantedAt !== undefined}`;
      expect(left.map(shape).sort()).toEqual(right.map(shape).sort());
    }
  });
});

/** Returns a generator of integers below `bound`, deterministic per seed (mulberry32). */
function createRandom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

/** Returns a response without its times. */
function withoutTimes(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer ?? null, (key, value: unknown) => (key === 'waitedMs' ? undefined : value)));
}
