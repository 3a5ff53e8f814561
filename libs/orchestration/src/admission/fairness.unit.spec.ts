import { describe, expect, it } from 'vitest';
import type { Admission } from './admission.js';
import { expectFair, flood, runInVirtualTime, smallTenants, summarise, type FairnessRun } from './fairness.fixture.js';
import { MemoryAdmission } from './memory-admission.js';

const slots = (window: number, tenantLimit?: number): MemoryAdmission =>
  new MemoryAdmission({
    settings: { window, ...(tenantLimit === undefined ? {} : { tenantLimit }) },
    clock: { now: () => new Date(0) },
  });
const run = { phases: 3, phaseMs: 60_000 };

/** Decides like a queue: in order of arrival, regardless of the tenant. */
function arrivalOrder(window: number): Admission {
  const admission = slots(window);
  const ask = admission.requestSlot.bind(admission);
  admission.requestSlot = (request) => ask({ ...request, tenant: 'all' });
  return admission;
}

describe('one tenant with 1,000 jobs and ten with 5 each', () => {
  it.each([
    { window: 8, seed: 1 },
    { window: 16, seed: 2 },
    { window: 16, tenantLimit: 8, seed: 3 },
  ])('small tenants wait at most twice as long as they would alone: %o', async ({ window, tenantLimit, seed }) => {
    await expectFair(() => slots(window, tenantLimit), { ...run, seed });
  });

  it('jobs that would not wait at all alone wait for at most one phase of another tenant', async () => {
    const times = await runInVirtualTime(slots(50), { ...run, phases: 1, seed: 4, loads: [flood(), ...smallTenants] });
    const small = times.filter(({ tenant }) => tenant !== 'big').map(({ waitedMs }) => waitedMs);
    expect(summarise(small).max).toBeLessThanOrEqual(1.5 * run.phaseMs);
  });

  it('costs no throughput: no slot stays free while a job waits', async () => {
    const loads = [flood(200), ...smallTenants];
    const end = async (admission: Admission): Promise<number> => {
      const times = await runInVirtualTime(admission, { ...run, phases: 1, seed: 5, loads });
      return Math.max(...times.map(({ endedAtMs }) => endedAtMs));
    };
    expect(await end(slots(8))).toBeLessThanOrEqual(1.05 * (await end(arrivalOrder(8))));
  });

  it('arrival order is far worse, so the measurement can fail', async () => {
    const one: FairnessRun = { ...run, phases: 1, seed: 1, loads: [flood(), ...smallTenants] };
    const wait = async (admission: Admission): Promise<number> => {
      const times = await runInVirtualTime(admission, one);
      return summarise(times.filter(({ tenant }) => tenant !== 'big').map(({ waitedMs }) => waitedMs)).mean;
    };
    expect(await wait(arrivalOrder(8))).toBeGreaterThan(20 * (await wait(slots(8))));
    await expect(expectFair(() => arrivalOrder(8), { ...run, phases: 1, seed: 1 })).rejects.toThrow();
  });
});
