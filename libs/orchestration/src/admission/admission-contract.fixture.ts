import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Admission, AdmissionSettings, SlotRequest, Tenants } from './admission.js';

export interface AdmissionPlace {
  /** Slots that nobody has asked for yet. `workers` are places of live workers, by kind. */
  open(
    settings: AdmissionSettings,
    workers?: Readonly<Record<'strategic' | 'tactical', number>>,
  ): Promise<Admission & Tenants>;
}

export const request = (tenant: string, more: Partial<SlotRequest> = {}): SlotRequest => ({
  jobId: randomUUID(),
  phase: 1,
  kind: 'strategic',
  tenant,
  priority: 0,
  ...more,
});

/** What every keeper of slots must do, told once. Call it inside a `describe` that names the keeper. */
export function admissionContract(place: AdmissionPlace): void {
  /** Asks for a job each, and returns those that were granted at once. */
  async function askAll(slots: Admission, requests: readonly SlotRequest[]): Promise<string[]> {
    const granted: string[] = [];
    for (const one of requests) if ((await slots.ask(one)).granted) granted.push(one.jobId);
    return granted;
  }
  const several = (tenant: string, count: number, more: Partial<SlotRequest> = {}): SlotRequest[] =>
    Array.from({ length: count }, () => request(tenant, more));
  const ids = (slots: readonly { readonly jobId: string }[]): string[] => slots.map(({ jobId }) => jobId);

  it('gives out as many slots as there is room for, and the next one when one is given back', async () => {
    const slots = await place.open({ window: 2 });
    const [first, second, third] = several('acme', 3) as [SlotRequest, SlotRequest, SlotRequest];
    expect(await askAll(slots, [first, second, third])).toEqual([first.jobId, second.jobId]);
    const given = await slots.leave(first.jobId);
    expect(given).toEqual([{ jobId: third.jobId, phase: 1, waitedMs: expect.any(Number) }]);
    expect(given[0]!.waitedMs).toBeGreaterThanOrEqual(0);
    expect(await slots.leave(second.jobId)).toEqual([]);
  });

  it('answers the same however often the same is asked', async () => {
    const slots = await place.open({ window: 1 });
    const [held, waits] = several('acme', 2) as [SlotRequest, SlotRequest];
    await askAll(slots, [held, waits]);
    for (let time = 0; time < 3; time += 1) {
      expect(await slots.ask(held)).toEqual({ granted: true, others: [] });
      expect(await slots.ask(waits)).toEqual({ granted: false, others: [] });
    }
    expect(await slots.leave(randomUUID())).toEqual([]);
    expect(await slots.slots()).toHaveLength(2);
  });

  it('has a window for each kind', async () => {
    const slots = await place.open({ window: 1 });
    const [plan, work, more] = [request('a'), request('a', { kind: 'tactical' }), request('a', { kind: 'tactical' })];
    expect(await askAll(slots, [plan, work, more])).toEqual([plan.jobId, work.jobId]);
    expect(await slots.leave(plan.jobId)).toEqual([]);
    expect(ids(await slots.leave(work.jobId))).toEqual([more.jobId]);
  });

  it('takes turns between tenants: who holds the fewest is next, however many the others have waiting', async () => {
    const slots = await place.open({ window: 4 });
    const flood = several('big', 40);
    await askAll(slots, flood);
    const small = ['s1', 's2', 's3'].flatMap((tenant) => several(tenant, 2));
    expect(await askAll(slots, small)).toEqual([]);
    const order: string[] = [];
    const held = flood.slice(0, 4);
    for (let round = 0; round < 9; round += 1) {
      const [next] = await slots.leave(held.shift()!.jobId);
      const of = [...flood, ...small].find(({ jobId }) => jobId === next!.jobId)!;
      order.push(of.tenant);
      held.push(of);
    }
    // Three times big gives up a slot and holds two or more; then each holds one, and the turns go round.
    expect(order).toEqual(['s1', 's2', 's3', 'big', 's1', 's2', 's3', 'big', 'big']);
  });

  it('gives the turn to who holds fewer, also where the other was served longer ago', async () => {
    const slots = await place.open({ window: 4 });
    const big = several('big', 4);
    const small = several('small', 2);
    // Three slots for big, then the last one for small; one job of each waits.
    await askAll(slots, [...big.slice(0, 3), ...small, big[3]!]);
    expect(ids(await slots.leave(big[0]!.jobId))).toEqual([small[1]!.jobId]);
  });

  it('counts a phase that the log says is under way as a turn of its tenant', async () => {
    const slots = await place.open({ window: 1 });
    const running = request('a');
    await slots.note(running);
    const [second, other] = [request('a'), request('b')];
    await askAll(slots, [second, other]);
    expect(ids(await slots.leave(running.jobId))).toEqual([other.jobId]);
  });

  it('goes round among tenants that hold nothing when there is one slot for all', async () => {
    const slots = await place.open({ window: 1 });
    const jobs = [...several('big', 20), ...several('a', 3), ...several('b', 3)];
    await askAll(slots, jobs);
    const order: string[] = [];
    for (let current = jobs[0]!; order.length < 8;) {
      const [next] = await slots.leave(current.jobId);
      current = jobs.find(({ jobId }) => jobId === next!.jobId)!;
      order.push(current.tenant);
    }
    expect(order).toEqual(['a', 'b', 'big', 'a', 'b', 'big', 'a', 'b']);
  });

  it('within a tenant goes by priority, lowest first, then by age', async () => {
    const slots = await place.open({ window: 1 });
    const [now, late, urgent, later] = [9, 5, 0, 5].map((priority) => request('acme', { priority })) as [
      SlotRequest,
      SlotRequest,
      SlotRequest,
      SlotRequest,
    ];
    await askAll(slots, [now, late, urgent, later]);
    expect(ids(await slots.leave(now.jobId))).toEqual([urgent.jobId]);
    expect(ids(await slots.leave(urgent.jobId))).toEqual([late.jobId]);
    expect(ids(await slots.leave(late.jobId))).toEqual([later.jobId]);
  });

  it('lets a priority count only among the jobs of its own tenant', async () => {
    const slots = await place.open({ window: 1 });
    const held = request('greedy');
    await askAll(slots, [held, ...several('greedy', 5)]);
    const modest = request('modest', { priority: 100 });
    await slots.ask(modest);
    expect(ids(await slots.leave(held.jobId))).toEqual([modest.jobId]);
  });

  it('bounds each tenant over both kinds, by its own limit or the one for all', async () => {
    const slots = await place.open({ window: 100, tenantLimit: 3, tenantLimits: { vip: 5 } });
    const jobs = ['acme', 'vip'].flatMap((tenant) => [
      ...several(tenant, 4),
      ...several(tenant, 4, { kind: 'tactical' }),
    ]);
    const granted = await askAll(slots, jobs);
    const count = (tenant: string): number =>
      jobs.filter((job) => job.tenant === tenant && granted.includes(job.jobId)).length;
    expect([count('acme'), count('vip')]).toEqual([3, 5]);
    expect(ids(await slots.leave(granted[0]!))).toEqual([jobs[3]!.jobId]);
  });

  it('lets a limit that was reached hold up nobody else', async () => {
    const slots = await place.open({ window: 10, tenantLimit: 2 });
    await askAll(slots, several('big', 50));
    const small = several('small', 2);
    expect(await askAll(slots, small)).toEqual(ids(small));
  });

  it('lets a job go on with its own slot before jobs of its tenant that have not begun', async () => {
    const slots = await place.open({ window: 1 });
    const running = request('acme');
    await askAll(slots, [running, ...several('acme', 3)]);
    expect(await slots.ask({ ...running, phase: 2 })).toEqual({ granted: true, others: [] });
    expect((await slots.slots()).filter(({ grantedAt }) => grantedAt)).toMatchObject([{ phase: 2 }]);
  });

  it('lets a job go on with the other kind of phase before jobs of its tenant that have not begun', async () => {
    const slots = await place.open({ window: 100, tenantLimit: 1 });
    const running = request('acme');
    await askAll(slots, [running, ...several('acme', 3)]);
    expect(await slots.ask({ ...running, phase: 2, kind: 'tactical' })).toEqual({ granted: true, others: [] });
  });

  it('lets others of its tenant begin while there is no room for the kind that the first of the line needs', async () => {
    const slots = await place.open({ window: 1, tenantLimit: 1 });
    const [running, waits, other] = [request('acme'), request('acme'), request('other', { kind: 'tactical' })];
    await askAll(slots, [other, running, waits]);
    const answer = await slots.ask({ ...running, phase: 2, kind: 'tactical' });
    expect(answer).toMatchObject({ granted: false, others: [{ jobId: waits.jobId }] });
  });

  it('gives the slot of a job between two phases to a tenant that holds fewer, and back in its turn', async () => {
    const slots = await place.open({ window: 1 });
    const [running, other] = [request('acme'), request('other')];
    await askAll(slots, [running, other]);
    const answer = await slots.ask({ ...running, phase: 2 });
    expect(answer).toMatchObject({ granted: false, others: [{ jobId: other.jobId }] });
    expect(await slots.leave(other.jobId)).toMatchObject([{ jobId: running.jobId, phase: 2 }]);
    expect(await slots.ask({ ...running, phase: 2 })).toEqual({ granted: true, others: [] });
  });

  it('gives the slot of a job between two phases to a more urgent job of its tenant', async () => {
    const slots = await place.open({ window: 1 });
    const [running, urgent] = [request('acme', { priority: 5 }), request('acme', { priority: 1 })];
    await askAll(slots, [running, urgent]);
    expect(await slots.ask({ ...running, phase: 2 })).toMatchObject({
      granted: false,
      others: [{ jobId: urgent.jobId }],
    });
  });

  it('frees a slot of one kind for others when its job goes on with the other kind', async () => {
    const slots = await place.open({ window: 1 });
    const [first, second] = several('acme', 2) as [SlotRequest, SlotRequest];
    await askAll(slots, [first, second]);
    const answer = await slots.ask({ ...first, phase: 2, kind: 'tactical' });
    expect(answer).toMatchObject({ granted: true, others: [{ jobId: second.jobId, phase: 1 }] });
  });

  it('leaves alone what is ahead of the one who asks', async () => {
    const slots = await place.open({ window: 1 });
    const job = request('acme', { phase: 3 });
    await slots.ask(job);
    expect(await slots.ask({ ...job, phase: 2 })).toEqual({ granted: true, others: [] });
    expect(await slots.slots()).toMatchObject([{ phase: 3 }]);
  });

  it('counts a phase that the log says is under way, over every bound, and gives nothing more until there is room', async () => {
    const slots = await place.open({ window: 1, tenantLimit: 1 });
    const [one, two, waits] = several('acme', 3) as [SlotRequest, SlotRequest, SlotRequest];
    await slots.note(one);
    await slots.note(two);
    await slots.note(two);
    expect(await askAll(slots, [waits])).toEqual([]);
    expect(await slots.leave(one.jobId)).toEqual([]);
    expect(ids(await slots.leave(two.jobId))).toEqual([waits.jobId]);
  });

  it('notes a phase that still waited as under way', async () => {
    const slots = await place.open({ window: 1 });
    const [held, waits] = several('acme', 2) as [SlotRequest, SlotRequest];
    await askAll(slots, [held, waits]);
    await slots.note(waits);
    expect((await slots.slots()).every(({ grantedAt }) => grantedAt !== undefined)).toBe(true);
    expect(await slots.fill()).toEqual([]);
  });

  it('gives as many slots as live workers have places, and some while none is known', async () => {
    const window = { factor: 1.5, withoutWorkers: 4 };
    const none = await place.open({ window });
    expect(await askAll(none, several('acme', 9))).toHaveLength(4);
    const some = await place.open({ window }, { strategic: 3, tactical: 2 });
    expect(await askAll(some, several('acme', 9))).toHaveLength(5);
    expect(await askAll(some, several('acme', 9, { kind: 'tactical' }))).toHaveLength(3);
  });

  it('shows the tenants with what they hold, wait for and may hold', async () => {
    const slots = await place.open({ window: 3, tenantLimits: { acme: 2, idle: 7 } });
    await askAll(slots, [...several('acme', 5), ...several('other', 2)]);
    expect(await slots.tenants()).toEqual([
      { tenant: 'acme', active: 2, waiting: 3, limit: 2, longestWaitMs: expect.any(Number) },
      { tenant: 'idle', active: 0, waiting: 0, limit: 7 },
      { tenant: 'other', active: 1, waiting: 1, longestWaitMs: expect.any(Number) },
    ]);
  });

  it('takes a limit at run time, with who set it, uses it at once, and forgets it when told so', async () => {
    const slots = await place.open({ window: 100, tenantLimit: 1 });
    const jobs = several('acme', 5);
    expect(await askAll(slots, jobs)).toHaveLength(1);
    expect(ids(await slots.setLimit('acme', { maxPhases: 3, actor: 'ops' }))).toEqual(ids(jobs.slice(1, 3)));
    expect(await slots.tenants()).toMatchObject([
      { tenant: 'acme', active: 3, waiting: 2, limit: 3, setBy: { actor: 'ops', at: expect.any(String) } },
    ]);
    expect(await slots.setLimit('acme', { maxPhases: 0, actor: 'ops' })).toEqual([]);
    expect(await slots.leave(jobs[0]!.jobId)).toEqual([]);
    expect(await slots.setLimit('acme', { maxPhases: undefined, actor: 'ops' })).toEqual([]);
    const [acme] = await slots.tenants();
    expect(acme).toMatchObject({ limit: 1, active: 2 });
    expect(acme).not.toHaveProperty('setBy');
  });

  it('says why a job waits', async () => {
    const slots = await place.open({ window: 3, tenantLimit: 2 });
    const jobs = several('acme', 4);
    await askAll(slots, jobs);
    expect(await slots.waitOf(jobs[3]!.jobId)).toEqual({
      tenant: 'acme',
      since: expect.any(String),
      ahead: 1,
      tenantActive: 2,
      tenantLimit: 2,
      active: 2,
      window: 3,
    });
    expect(await slots.waitOf(jobs[0]!.jobId)).toBeUndefined();
    expect(await slots.waitOf(randomUUID())).toBeUndefined();
  });
}
