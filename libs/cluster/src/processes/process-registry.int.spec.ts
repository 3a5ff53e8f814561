import { randomUUID } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { EventStore } from '@phaseline/event-store';
import { eventually, useTestDatabase } from '@phaseline/event-store/testing';
import { ProcessRegistry } from './process-registry.js';

const pools = useTestDatabase();
const open: ProcessRegistry[] = [];
const registry = (everyMs?: number): ProcessRegistry => {
  const made = new ProcessRegistry(pools.service, everyMs === undefined ? {} : { everyMs });
  open.push(made);
  return made;
};
/** One whose next heartbeat does not come while the spec looks. */
const silent = (): ProcessRegistry => registry(3_600_000);
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const age = (processId: string, by: string): Promise<unknown> =>
  pools.service.query(
    `UPDATE phaseline.processes SET heartbeat_at = heartbeat_at - $2::interval WHERE process_id = $1`,
    [processId, by],
  );

it('a process is alive from its first heartbeat until it says goodbye', async () => {
  const own = registry();
  expect(await own.isAlive('p1', 5_000)).toBe(false);
  await own.heartbeat('p1', 'tactical-worker');
  expect(await registry().isAlive('p1', 5_000)).toBe(true);
  expect(await registry().aliveProcesses(5_000)).toMatchObject([{ processId: 'p1', service: 'tactical-worker' }]);
  await own.close();
  expect(await registry().isAlive('p1', 5_000)).toBe(false);
});

it('a process that is silent for too long is not alive', async () => {
  await silent().heartbeat('p2', 'tool-runner');
  await age('p2', '10 seconds');
  expect(await registry().isAlive('p2', 5_000)).toBe(false);
  expect(await registry().isAlive('p2', 60_000)).toBe(true);
  expect(await registry().aliveProcesses(5_000)).toEqual([]);
});

it('the heartbeat goes on by itself, and keeps the time of the start', async () => {
  const own = registry(20);
  await own.heartbeat('p3', 'orchestrator');
  const [before] = await own.aliveProcesses(60_000);
  await age('p3', '10 seconds');
  await eventually(async () => ((await own.isAlive('p3', 5_000)) ? true : undefined));
  expect((await own.aliveProcesses(60_000))[0]?.startedAt).toBe(before?.startedAt);
});

it('no heartbeat comes after the goodbye', async () => {
  const own = registry(1);
  for (let round = 0; round < 20; round += 1) {
    await own.heartbeat('p4', 'orchestrator');
    await new Promise((resolve) => setTimeout(resolve, 3));
    await own.close();
    expect(await own.isAlive('p4', 60_000)).toBe(false);
  }
});

it('holds what its last heartbeat named, and lets go of it with the next one', async () => {
  const own = registry(20);
  own.add('phase-held');
  await own.heartbeat('p4', 'tactical-worker');
  expect(await registry().isHeld('p4', 'phase-held')).toBe(true);
  expect(await registry().isHeld('p4', 'phase-other')).toBe(false);
  expect(await registry().isHeld('nobody', 'phase-held')).toBe(false);
  own.remove('phase-held');
  await expect.poll(() => registry().isHeld('p4', 'phase-held')).toBe(false);
});

it('holds nothing once it has been silent for longer than an event loop may be blocked', async () => {
  const own = silent();
  own.add('phase-held');
  await own.heartbeat('p5', 'tactical-worker');
  await age('p5', '5 seconds');
  expect(await registry().isHeld('p5', 'phase-held')).toBe(true);
  await age('p5', '3 seconds');
  expect(await registry().isHeld('p5', 'phase-held')).toBe(false);
});

it('holds a stream that was written to after its last heartbeat, which could not name it yet', async () => {
  const store = new EventStore(pools.service);
  await silent().heartbeat('p6', 'tactical-worker');
  await age('p6', '1 second');
  expect(await registry().isHeld('p6', 'phase-fresh')).toBe(false);
  const event = { eventId: randomUUID(), type: 'ModelCallStarted', schemaVersion: 1, data: {}, metadata: {} };
  await store.append({ streamId: 'phase-fresh', correlationId: 'fresh', expectedVersion: 0, events: [event] });
  expect(await registry().isHeld('p6', 'phase-fresh')).toBe(true);
  expect(await registry().isHeld('p6', 'phase-fresh/call_1')).toBe(true);
  await store.close();
});

it('reports every process as its last heartbeat described it: version, clock, what it holds and what is wrong', async () => {
  const clock = () => new Date(Date.now() + 90_000);
  const own = new ProcessRegistry(pools.service, { version: '1.2.3', clock, complaints: () => ['the disk is full'] });
  open.push(own);
  own.add('phase-held');
  await own.heartbeat('p7', 'tool-runner');
  await silent().heartbeat('p8', 'tool-runner');
  await age('p8', '8 seconds');
  const [p7, p8] = (await own.report()).filter(({ processId }) => processId === 'p7' || processId === 'p8');
  expect(p7).toMatchObject({ version: '1.2.3', holds: ['phase-held'], complaints: ['the disk is full'], dead: false });
  expect(p7?.clockAheadMs).toBeGreaterThan(60_000);
  expect(p8).toMatchObject({ version: '', dead: true, complaints: [] });
  expect(p8?.silentForMs).toBeGreaterThanOrEqual(8_000);
  expect(own.sinceBeatMs).toBeGreaterThanOrEqual(0);
});

it('names what a process worked on that has died, for a minute', async () => {
  const own = silent();
  own.add('phase-left');
  await own.heartbeat('p9', 'tactical-worker');
  const left = async (): Promise<unknown> =>
    (await registry().abandoned()).filter(({ processId }) => processId === 'p9');
  expect(await left()).toEqual([]);
  await age('p9', '20 seconds');
  expect(await left()).toEqual([{ processId: 'p9', holds: ['phase-left'] }]);
  await age('p9', '10 minutes');
  expect(await left()).toEqual([]);
});

it('a heartbeat tells whether any process works on something, or died with it lately', async () => {
  await pools.service.query('DELETE FROM phaseline.processes');
  const asker = silent();
  expect(asker.someoneWorks).toBe(true);
  const asked = async (): Promise<boolean> => {
    await asker.heartbeat('p21', 'orchestrator');
    return asker.someoneWorks;
  };
  expect(await asked()).toBe(false);
  const worker = silent();
  worker.add('phase-worked-on');
  await worker.heartbeat('p22', 'tactical-worker');
  expect(await asked()).toBe(true);
  await age('p22', '20 seconds');
  expect(await asked()).toBe(true);
  await age('p22', '10 minutes');
  expect(await asked()).toBe(false);
});

it('an outage of the database makes nobody look dead: whoever fell silent together may come back', async () => {
  const holder = silent();
  holder.add('phase-kept');
  await holder.heartbeat('p11', 'tactical-worker');
  const lost = silent();
  lost.add('phase-lost');
  await lost.heartbeat('p12', 'tactical-worker');
  const asker = silent();
  await asker.heartbeat('p13', 'orchestrator');
  // The process that is really lost died half a minute before the database went away for twenty seconds.
  for (const processId of ['p11', 'p12', 'p13']) await age(processId, '20 seconds');
  await age('p12', '30 seconds');
  await asker.heartbeat('p13', 'orchestrator');
  const left = async (): Promise<string[]> =>
    (await asker.abandoned()).map(({ processId }) => processId).filter((processId) => /^p1[123]$/.test(processId));
  expect(await asker.isHeld('p11', 'phase-kept')).toBe(true);
  expect(await asker.isHeld('p11', 'phase-other')).toBe(false);
  expect(await asker.isHeld('p12', 'phase-lost')).toBe(false);
  expect(await left()).toEqual(['p12']);
  // One that did not come back in time is taken for dead after all.
  await pools.service.query("UPDATE phaseline.processes SET back_at = back_at - interval '4 seconds'");
  expect(await asker.isHeld('p11', 'phase-kept')).toBe(false);
  expect((await left()).toSorted()).toEqual(['p11', 'p12']);
});

it('one that was away for even longer knows no better', async () => {
  const holder = silent();
  holder.add('phase-kept');
  await holder.heartbeat('p16', 'tactical-worker');
  const asker = silent();
  await asker.heartbeat('p17', 'orchestrator');
  await age('p16', '20 seconds');
  await age('p17', '60 seconds');
  await asker.heartbeat('p17', 'orchestrator');
  expect(await asker.isHeld('p16', 'phase-kept')).toBe(true);
});

it('a process that can write no heartbeat judges nobody by theirs', async () => {
  const holder = silent();
  holder.add('phase-far');
  await holder.heartbeat('p14', 'tactical-worker');
  await age('p14', '20 seconds');
  const own = registry(20);
  await own.heartbeat('p15', 'orchestrator');
  expect(await own.isHeld('p14', 'phase-far')).toBe(false);
  const since = vi.spyOn(own, 'sinceBeatMs', 'get').mockReturnValue(6_000);
  expect(await own.isHeld('p14', 'phase-far')).toBe(true);
  expect(await own.abandoned()).toEqual([]);
  since.mockRestore();
});

it('says how many phases a process works on side by side', async () => {
  const own = silent();
  own.offer(12);
  await own.heartbeat('p10', 'tactical-worker');
  const { rows } = await pools.service.query("SELECT slots FROM phaseline.processes WHERE process_id = 'p10'");
  expect(rows).toEqual([{ slots: 12 }]);
});
