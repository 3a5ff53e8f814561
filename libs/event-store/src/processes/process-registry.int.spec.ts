import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { eventually, useTestDatabase } from '../testing/store.fixture.js';
import { ProcessRegistry } from './process-registry.js';

const pools = useTestDatabase();
const open: ProcessRegistry[] = [];
const registry = (everyMs?: number): ProcessRegistry => {
  const made = new ProcessRegistry(pools.service, everyMs === undefined ? {} : { everyMs });
  open.push(made);
  return made;
};
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
  await registry().heartbeat('p2', 'tool-runner');
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
  const own = registry();
  own.add('phase-held');
  await own.heartbeat('p5', 'tactical-worker');
  await age('p5', '5 seconds');
  expect(await registry().isHeld('p5', 'phase-held')).toBe(true);
  await age('p5', '3 seconds');
  expect(await registry().isHeld('p5', 'phase-held')).toBe(false);
});

it('holds a stream that was written to after its last heartbeat, which could not name it yet', async () => {
  const store = new EventStore(pools.service);
  await registry().heartbeat('p6', 'tactical-worker');
  await age('p6', '1 second');
  expect(await registry().isHeld('p6', 'phase-fresh')).toBe(false);
  const event = { eventId: randomUUID(), type: 'ModelCallStarted', schemaVersion: 1, data: {}, metadata: {} };
  await store.append({ streamId: 'phase-fresh', correlationId: 'fresh', expectedVersion: 0, events: [event] });
  expect(await registry().isHeld('p6', 'phase-fresh')).toBe(true);
  expect(await registry().isHeld('p6', 'phase-fresh/call_1')).toBe(true);
  await store.close();
});
