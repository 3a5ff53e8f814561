import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Admission, AdmissionSettings, SlotRequest, Tenants } from './admission.js';

export interface AdmissionPlace {
  /** Opens an admission without any slots. `workers` is the capacity of the live workers, by kind. */
  open(
    settings: AdmissionSettings,
    workers?: Readonly<Record<'strategic' | 'tactical', number>>,
  ): Promise<Admission & Tenants>;
}

export const createRequest = (tenant: string, more: Partial<SlotRequest> = {}): SlotRequest => ({
  jobId: randomUUID(),
  phase: 1,
  kind: 'strategic',
  tenant,
  priority: 0,
  ...more,
});

/** The contract of every `Admission`. Call it inside a `describe` that names the implementation. */
export function describeAdmissionContract(place: AdmissionPlace): void {
  /** Requests a slot for each job in turn; returns the ids of the jobs that got one immediately. */
  async function requestAll(slots: Admission, requests: readonly SlotRequest[]): Promise<string[]> {
    const granted: string[] = [];
    for (const one of requests) if ((await slots.requestSlot(one)).isGranted) granted.push(one.jobId);
    return granted;
  }
  const requests = (tenant: string, count: number, more: Partial<SlotRequest> = {}): SlotRequest[] =>
    Array.from({ length: count }, () => createRequest(tenant, more));
  const ids = (slots: readonly { readonly jobId: string }[]): string[] => slots.map(({ jobId }) => jobId);

  it('grants all free slots, and the next one when one is released', async () => {
    const slots = await place.open({ window: 2 });
    const [first, second, third] = requests('acme', 3) as [SlotRequest, SlotRequest, SlotRequest];
    expect(await requestAll(slots, [first, second, third])).toEqual([first.jobId, second.jobId]);
    const grants = await slots.releaseSlot(first.jobId);
    expect(grants).toEqual([{ jobId: third.jobId, phase: 1, waitedMs: expect.any(Number) }]);
    expect(grants[0]!.waitedMs).toBeGreaterThanOrEqual(0);
    expect(await slots.releaseSlot(second.jobId)).toEqual([]);
  });

  it('gives the same response when a request is repeated', async () => {
    const slots = await place.open({ window: 1 });
    const [held, waits] = requests('acme', 2) as [SlotRequest, SlotRequest];
    await requestAll(slots, [held, waits]);
    for (let time = 0; time < 3; time += 1) {
      expect(await slots.requestSlot(held)).toEqual({ isGranted: true, grantsToOthers: [] });
      expect(await slots.requestSlot(waits)).toEqual({ isGranted: false, grantsToOthers: [] });
    }
    expect(await slots.releaseSlot(randomUUID())).toEqual([]);
    expect(await slots.listSlots()).toHaveLength(2);
  });

  it('has a window for each kind', async () => {
    const slots = await place.open({ window: 1 });
    const [plan, work, more] = [
      createRequest('a'),
      createRequest('a', { kind: 'tactical' }),
      createRequest('a', { kind: 'tactical' }),
    ];
    expect(await requestAll(slots, [plan, work, more])).toEqual([plan.jobId, work.jobId]);
    expect(await slots.releaseSlot(plan.jobId)).toEqual([]);
    expect(ids(await slots.releaseSlot(work.jobId))).toEqual([more.jobId]);
  });

  it('takes turns between tenants: the one that holds the fewest slots is next, however many jobs of others wait', async () => {
    const slots = await place.open({ window: 4 });
    const flood = requests('big', 40);
    await requestAll(slots, flood);
    const small = ['s1', 's2', 's3'].flatMap((tenant) => requests(tenant, 2));
    expect(await requestAll(slots, small)).toEqual([]);
    const order: string[] = [];
    const held = flood.slice(0, 4);
    for (let round = 0; round < 9; round += 1) {
      const [next] = await slots.releaseSlot(held.shift()!.jobId);
      const of = [...flood, ...small].find(({ jobId }) => jobId === next!.jobId)!;
      order.push(of.tenant);
      held.push(of);
    }
    // Big releases a slot three times and still holds two or more. After that each tenant holds one, and they take
    // turns.
    expect(order).toEqual(['s1', 's2', 's3', 'big', 's1', 's2', 's3', 'big', 'big']);
  });

  it('serves the tenant that holds fewer slots, even when another was served longer ago', async () => {
    const slots = await place.open({ window: 4 });
    const big = requests('big', 4);
    const small = requests('small', 2);
    // Big gets three slots, then small gets the last one. One job of each waits.
    await requestAll(slots, [...big.slice(0, 3), ...small, big[3]!]);
    expect(ids(await slots.releaseSlot(big[0]!.jobId))).toEqual([small[1]!.jobId]);
  });

  it('counts a phase that is already running as a turn of its tenant', async () => {
    const slots = await place.open({ window: 1 });
    const running = createRequest('a');
    await slots.recordRunning(running);
    const [second, other] = [createRequest('a'), createRequest('b')];
    await requestAll(slots, [second, other]);
    expect(ids(await slots.releaseSlot(running.jobId))).toEqual([other.jobId]);
  });

  it('alternates between tenants that hold nothing when there is one slot for all', async () => {
    const slots = await place.open({ window: 1 });
    const jobs = [...requests('big', 20), ...requests('a', 3), ...requests('b', 3)];
    await requestAll(slots, jobs);
    const order: string[] = [];
    for (let current = jobs[0]!; order.length < 8;) {
      const [next] = await slots.releaseSlot(current.jobId);
      current = jobs.find(({ jobId }) => jobId === next!.jobId)!;
      order.push(current.tenant);
    }
    expect(order).toEqual(['a', 'b', 'big', 'a', 'b', 'big', 'a', 'b']);
  });

  it('orders jobs within a tenant by priority, lowest number first, then by age', async () => {
    const slots = await place.open({ window: 1 });
    const [now, late, urgent, later] = [9, 5, 0, 5].map((priority) => createRequest('acme', { priority })) as [
      SlotRequest,
      SlotRequest,
      SlotRequest,
      SlotRequest,
    ];
    await requestAll(slots, [now, late, urgent, later]);
    expect(ids(await slots.releaseSlot(now.jobId))).toEqual([urgent.jobId]);
    expect(ids(await slots.releaseSlot(urgent.jobId))).toEqual([late.jobId]);
    expect(ids(await slots.releaseSlot(late.jobId))).toEqual([later.jobId]);
  });

  it('compares priorities only within a tenant', async () => {
    const slots = await place.open({ window: 1 });
    const held = createRequest('greedy');
    await requestAll(slots, [held, ...requests('greedy', 5)]);
    const modest = createRequest('modest', { priority: 100 });
    await slots.requestSlot(modest);
    expect(ids(await slots.releaseSlot(held.jobId))).toEqual([modest.jobId]);
  });

  it('limits each tenant across both kinds, by its own limit or the common one', async () => {
    const slots = await place.open({ window: 100, tenantLimit: 3, tenantLimits: { vip: 5 } });
    const jobs = ['acme', 'vip'].flatMap((tenant) => [
      ...requests(tenant, 4),
      ...requests(tenant, 4, { kind: 'tactical' }),
    ]);
    const granted = await requestAll(slots, jobs);
    const count = (tenant: string): number =>
      jobs.filter((job) => job.tenant === tenant && granted.includes(job.jobId)).length;
    expect([count('acme'), count('vip')]).toEqual([3, 5]);
    expect(ids(await slots.releaseSlot(granted[0]!))).toEqual([jobs[3]!.jobId]);
  });

  it('does not delay other tenants when one has reached its limit', async () => {
    const slots = await place.open({ window: 10, tenantLimit: 2 });
    await requestAll(slots, requests('big', 50));
    const small = requests('small', 2);
    expect(await requestAll(slots, small)).toEqual(ids(small));
  });

  it('lets a job continue in its own slot before jobs of its tenant that have not started', async () => {
    const slots = await place.open({ window: 1 });
    const running = createRequest('acme');
    await requestAll(slots, [running, ...requests('acme', 3)]);
    expect(await slots.requestSlot({ ...running, phase: 2 })).toEqual({ isGranted: true, grantsToOthers: [] });
    expect((await slots.listSlots()).filter(({ grantedAt }) => grantedAt)).toMatchObject([{ phase: 2 }]);
  });

  it('lets a job continue with a phase of the other kind before jobs of its tenant that have not started', async () => {
    const slots = await place.open({ window: 100, tenantLimit: 1 });
    const running = createRequest('acme');
    await requestAll(slots, [running, ...requests('acme', 3)]);
    expect(await slots.requestSlot({ ...running, phase: 2, kind: 'tactical' })).toEqual({
      isGranted: true,
      grantsToOthers: [],
    });
  });

  it('lets other jobs of a tenant start while there is no room for the kind that the first in line needs', async () => {
    const slots = await place.open({ window: 1, tenantLimit: 1 });
    const [running, waits, other] = [
      createRequest('acme'),
      createRequest('acme'),
      createRequest('other', { kind: 'tactical' }),
    ];
    await requestAll(slots, [other, running, waits]);
    const answer = await slots.requestSlot({ ...running, phase: 2, kind: 'tactical' });
    expect(answer).toMatchObject({ isGranted: false, grantsToOthers: [{ jobId: waits.jobId }] });
  });

  it('grants the slot of a job between two phases to a tenant that holds fewer, and returns it in turn', async () => {
    const slots = await place.open({ window: 1 });
    const [running, other] = [createRequest('acme'), createRequest('other')];
    await requestAll(slots, [running, other]);
    const answer = await slots.requestSlot({ ...running, phase: 2 });
    expect(answer).toMatchObject({ isGranted: false, grantsToOthers: [{ jobId: other.jobId }] });
    expect(await slots.releaseSlot(other.jobId)).toMatchObject([{ jobId: running.jobId, phase: 2 }]);
    expect(await slots.requestSlot({ ...running, phase: 2 })).toEqual({ isGranted: true, grantsToOthers: [] });
  });

  it('grants the slot of a job between two phases to a more urgent job of its tenant', async () => {
    const slots = await place.open({ window: 1 });
    const [running, urgent] = [createRequest('acme', { priority: 5 }), createRequest('acme', { priority: 1 })];
    await requestAll(slots, [running, urgent]);
    expect(await slots.requestSlot({ ...running, phase: 2 })).toMatchObject({
      isGranted: false,
      grantsToOthers: [{ jobId: urgent.jobId }],
    });
  });

  it('frees a slot of one kind when its job continues with the other kind', async () => {
    const slots = await place.open({ window: 1 });
    const [first, second] = requests('acme', 2) as [SlotRequest, SlotRequest];
    await requestAll(slots, [first, second]);
    const answer = await slots.requestSlot({ ...first, phase: 2, kind: 'tactical' });
    expect(answer).toMatchObject({ isGranted: true, grantsToOthers: [{ jobId: second.jobId, phase: 1 }] });
  });

  it('ignores a request for a phase earlier than the one recorded', async () => {
    const slots = await place.open({ window: 1 });
    const job = createRequest('acme', { phase: 3 });
    await slots.requestSlot(job);
    expect(await slots.requestSlot({ ...job, phase: 2 })).toEqual({ isGranted: true, grantsToOthers: [] });
    expect(await slots.listSlots()).toMatchObject([{ phase: 3 }]);
  });

  it('counts a phase that is already running even above every limit, and grants nothing until there is room', async () => {
    const slots = await place.open({ window: 1, tenantLimit: 1 });
    const [one, two, waits] = requests('acme', 3) as [SlotRequest, SlotRequest, SlotRequest];
    await slots.recordRunning(one);
    await slots.recordRunning(two);
    await slots.recordRunning(two);
    expect(await requestAll(slots, [waits])).toEqual([]);
    expect(await slots.releaseSlot(one.jobId)).toEqual([]);
    expect(ids(await slots.releaseSlot(two.jobId))).toEqual([waits.jobId]);
  });

  it('marks a waiting phase as running', async () => {
    const slots = await place.open({ window: 1 });
    const [held, waits] = requests('acme', 2) as [SlotRequest, SlotRequest];
    await requestAll(slots, [held, waits]);
    await slots.recordRunning(waits);
    expect((await slots.listSlots()).every(({ grantedAt }) => grantedAt !== undefined)).toBe(true);
    expect(await slots.grantAvailable()).toEqual([]);
  });

  it('grants as many slots as the live workers have capacity, and a few while no worker is known', async () => {
    const window = { factor: 1.5, withoutWorkers: 4 };
    const none = await place.open({ window });
    expect(await requestAll(none, requests('acme', 9))).toHaveLength(4);
    const some = await place.open({ window }, { strategic: 3, tactical: 2 });
    expect(await requestAll(some, requests('acme', 9))).toHaveLength(5);
    expect(await requestAll(some, requests('acme', 9, { kind: 'tactical' }))).toHaveLength(3);
  });

  it('lists the tenants with their running phases, waiting jobs and limits', async () => {
    const slots = await place.open({ window: 3, tenantLimits: { acme: 2, idle: 7 } });
    await requestAll(slots, [...requests('acme', 5), ...requests('other', 2)]);
    expect(await slots.listTenants()).toEqual([
      { tenant: 'acme', active: 2, waiting: 3, limit: 2, longestWaitMs: expect.any(Number) },
      { tenant: 'idle', active: 0, waiting: 0, limit: 7 },
      { tenant: 'other', active: 1, waiting: 1, longestWaitMs: expect.any(Number) },
    ]);
    const named = await slots.listTenants(['acme', 'beside']);
    expect(named.map(({ tenant, active }) => [tenant, active])).toEqual([
      ['acme', 2],
      ['beside', 0],
      ['idle', 0],
      ['other', 1],
    ]);
  });

  it('applies a limit set at run time immediately, records who set it, and removes it on request', async () => {
    const slots = await place.open({ window: 100, tenantLimit: 1 });
    const jobs = requests('acme', 5);
    expect(await requestAll(slots, jobs)).toHaveLength(1);
    expect(ids(await slots.setLimit('acme', { maxPhases: 3, actor: 'ops' }))).toEqual(ids(jobs.slice(1, 3)));
    expect(await slots.listTenants()).toMatchObject([
      { tenant: 'acme', active: 3, waiting: 2, limit: 3, setBy: { actor: 'ops', at: expect.any(String) } },
    ]);
    expect(await slots.setLimit('acme', { maxPhases: 0, actor: 'ops' })).toEqual([]);
    expect(await slots.releaseSlot(jobs[0]!.jobId)).toEqual([]);
    expect(await slots.setLimit('acme', { maxPhases: undefined, actor: 'ops' })).toEqual([]);
    const [acme] = await slots.listTenants();
    expect(acme).toMatchObject({ limit: 1, active: 2 });
    expect(acme).not.toHaveProperty('setBy');
  });

  it('explains why a job waits', async () => {
    const slots = await place.open({ window: 3, tenantLimit: 2 });
    const jobs = requests('acme', 4);
    await requestAll(slots, jobs);
    expect(await slots.findWait(jobs[3]!.jobId)).toEqual({
      tenant: 'acme',
      since: expect.any(String),
      ahead: 1,
      tenantActive: 2,
      tenantLimit: 2,
      active: 2,
      window: 3,
    });
    expect(await slots.findWait(jobs[0]!.jobId)).toBeUndefined();
    expect(await slots.findWait(randomUUID())).toBeUndefined();
  });
}
