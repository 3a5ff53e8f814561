import { randomUUID } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { EventStore } from '@phaseline/event-store';
import { waitUntil, useTestDatabase } from '@phaseline/event-store/testing';
import { ProcessRegistry } from './process-registry.js';

const pools = useTestDatabase();
const open: ProcessRegistry[] = [];
const createRegistry = (everyMs?: number): ProcessRegistry => {
  const created = new ProcessRegistry(pools.service, everyMs === undefined ? {} : { heartbeatIntervalMs: everyMs });
  open.push(created);
  return created;
};
/** Creates a registry that writes only its first heartbeat. */
const createSilent = (): ProcessRegistry => createRegistry(3_600_000);
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const ageHeartbeat = (processId: string, by: string): Promise<unknown> =>
  pools.service.query(
    `UPDATE phaseline.processes SET heartbeat_at = heartbeat_at - $2::interval WHERE process_id = $1`,
    [processId, by],
  );

it('a process is alive from its first heartbeat until it is closed', async () => {
  const own = createRegistry();
  expect(await own.isAlive('p1', 5_000)).toBe(false);
  await own.heartbeat('p1', 'tactical-worker');
  expect(await createRegistry().isAlive('p1', 5_000)).toBe(true);
  expect(await createRegistry().listAlive(5_000)).toMatchObject([{ processId: 'p1', service: 'tactical-worker' }]);
  await own.close();
  expect(await createRegistry().isAlive('p1', 5_000)).toBe(false);
});

it('a process without a recent heartbeat is not alive', async () => {
  await createSilent().heartbeat('p2', 'tool-runner');
  await ageHeartbeat('p2', '10 seconds');
  expect(await createRegistry().isAlive('p2', 5_000)).toBe(false);
  expect(await createRegistry().isAlive('p2', 60_000)).toBe(true);
  expect(await createRegistry().listAlive(5_000)).toEqual([]);
});

it('heartbeats continue automatically and keep the start time', async () => {
  const own = createRegistry(20);
  await own.heartbeat('p3', 'orchestrator');
  const [before] = await own.listAlive(60_000);
  await ageHeartbeat('p3', '10 seconds');
  await waitUntil(async () => ((await own.isAlive('p3', 5_000)) ? true : undefined));
  expect((await own.listAlive(60_000))[0]?.startedAt).toBe(before?.startedAt);
});

it('no heartbeat is written after close', async () => {
  const own = createRegistry(1);
  for (let round = 0; round < 20; round += 1) {
    await own.heartbeat('p4', 'orchestrator');
    await new Promise((resolve) => setTimeout(resolve, 3));
    await own.close();
    expect(await own.isAlive('p4', 60_000)).toBe(false);
  }
});

it('a process holds the leases in its last heartbeat, and releases them with the next one', async () => {
  const own = createRegistry(20);
  own.addLease('phase-held');
  await own.heartbeat('p4', 'tactical-worker');
  expect(await createRegistry().isLeaseHeld('p4', 'phase-held')).toBe(true);
  expect(await createRegistry().isLeaseHeld('p4', 'phase-other')).toBe(false);
  expect(await createRegistry().isLeaseHeld('nobody', 'phase-held')).toBe(false);
  own.removeLease('phase-held');
  await expect.poll(() => createRegistry().isLeaseHeld('p4', 'phase-held')).toBe(false);
});

it('a call is held while the last heartbeat of any living process contains it', async () => {
  const own = createSilent();
  own.addLease('phase-held/call_1');
  await own.heartbeat('p4c', 'tool-runner');
  expect(await createRegistry().isCallHeld('phase-held/call_1')).toBe(true);
  expect(await createRegistry().isCallHeld('phase-held/call_2')).toBe(false);
  await ageHeartbeat('p4c', '8 seconds');
  expect(await createRegistry().isCallHeld('phase-held/call_1')).toBe(false);
});

it('a process holds no lease after being silent for longer than an event loop may be blocked', async () => {
  const own = createSilent();
  own.addLease('phase-held');
  await own.heartbeat('p5', 'tactical-worker');
  await ageHeartbeat('p5', '5 seconds');
  expect(await createRegistry().isLeaseHeld('p5', 'phase-held')).toBe(true);
  await ageHeartbeat('p5', '3 seconds');
  expect(await createRegistry().isLeaseHeld('p5', 'phase-held')).toBe(false);
});

it('a process holds the lease of a stream that was written after its last heartbeat', async () => {
  const store = new EventStore(pools.service);
  await createSilent().heartbeat('p6', 'tactical-worker');
  await ageHeartbeat('p6', '1 second');
  expect(await createRegistry().isLeaseHeld('p6', 'phase-fresh')).toBe(false);
  const event = { eventId: randomUUID(), type: 'ModelCallStarted', schemaVersion: 1, data: {}, metadata: {} };
  await store.append({ streamId: 'phase-fresh', correlationId: 'fresh', expectedVersion: 0, events: [event] });
  expect(await createRegistry().isLeaseHeld('p6', 'phase-fresh')).toBe(true);
  expect(await createRegistry().isLeaseHeld('p6', 'phase-fresh/call_1')).toBe(true);
  await store.close();
});

it('listReports returns each process with version, clock, leases and problems from its last heartbeat', async () => {
  const clock = () => new Date(Date.now() + 90_000);
  const own = new ProcessRegistry(pools.service, { version: '1.2.3', clock, problems: () => ['the disk is full'] });
  open.push(own);
  own.addLease('phase-held');
  await own.heartbeat('p7', 'tool-runner');
  await createSilent().heartbeat('p8', 'tool-runner');
  await ageHeartbeat('p8', '8 seconds');
  const [p7, p8] = (await own.listReports()).filter(({ processId }) => processId === 'p7' || processId === 'p8');
  expect(p7).toMatchObject({ version: '1.2.3', leases: ['phase-held'], problems: ['the disk is full'], isDead: false });
  expect(p7?.clockAheadMs).toBeGreaterThan(60_000);
  expect(p8).toMatchObject({ version: '', isDead: true, problems: [] });
  expect(p8?.silentForMs).toBeGreaterThanOrEqual(8_000);
  expect(own.sinceHeartbeatMs).toBeGreaterThanOrEqual(0);
});

it('listAbandoned returns the leases of a dead process for a minute', async () => {
  const own = createSilent();
  own.addLease('phase-left');
  await own.heartbeat('p9', 'tactical-worker');
  const left = async (): Promise<unknown> =>
    (await createRegistry().listAbandoned()).filter(({ processId }) => processId === 'p9');
  expect(await left()).toEqual([]);
  await ageHeartbeat('p9', '20 seconds');
  expect(await left()).toEqual([{ processId: 'p9', leases: ['phase-left'] }]);
  await ageHeartbeat('p9', '10 minutes');
  expect(await left()).toEqual([]);
});

it('hasActiveProcesses is true while any process holds a lease or died with one recently', async () => {
  await pools.service.query('DELETE FROM phaseline.processes');
  const observer = createSilent();
  expect(observer.hasActiveProcesses).toBe(true);
  const hasActiveProcesses = async (): Promise<boolean> => {
    await observer.heartbeat('p21', 'orchestrator');
    return observer.hasActiveProcesses;
  };
  expect(await hasActiveProcesses()).toBe(false);
  const worker = createSilent();
  worker.addLease('phase-worked-on');
  await worker.heartbeat('p22', 'tactical-worker');
  expect(await hasActiveProcesses()).toBe(true);
  await ageHeartbeat('p22', '20 seconds');
  expect(await hasActiveProcesses()).toBe(true);
  await ageHeartbeat('p22', '10 minutes');
  expect(await hasActiveProcesses()).toBe(false);
});

it('after a database outage, processes that became silent together have time to recover', async () => {
  const owner = createSilent();
  owner.addLease('phase-kept');
  await owner.heartbeat('p11', 'tactical-worker');
  const lost = createSilent();
  lost.addLease('phase-lost');
  await lost.heartbeat('p12', 'tactical-worker');
  const observer = createSilent();
  await observer.heartbeat('p13', 'orchestrator');
  // The lost process died half a minute before an outage of twenty seconds.
  for (const processId of ['p11', 'p12', 'p13']) await ageHeartbeat(processId, '20 seconds');
  await ageHeartbeat('p12', '30 seconds');
  await observer.heartbeat('p13', 'orchestrator');
  const left = async (): Promise<string[]> =>
    (await observer.listAbandoned())
      .map(({ processId }) => processId)
      .filter((processId) => /^p1[123]$/.test(processId));
  expect(await observer.isLeaseHeld('p11', 'phase-kept')).toBe(true);
  expect(await observer.isLeaseHeld('p11', 'phase-other')).toBe(false);
  expect(await observer.isLeaseHeld('p12', 'phase-lost')).toBe(false);
  expect(await left()).toEqual(['p12']);
  // A process that does not recover in time counts as dead.
  await pools.service.query("UPDATE phaseline.processes SET recovered_at = recovered_at - interval '4 seconds'");
  expect(await observer.isLeaseHeld('p11', 'phase-kept')).toBe(false);
  expect((await left()).toSorted()).toEqual(['p11', 'p12']);
});

it('a process that was cut off for longer than another does not consider it dead', async () => {
  const owner = createSilent();
  owner.addLease('phase-kept');
  await owner.heartbeat('p16', 'tactical-worker');
  const observer = createSilent();
  await observer.heartbeat('p17', 'orchestrator');
  await ageHeartbeat('p16', '20 seconds');
  await ageHeartbeat('p17', '60 seconds');
  await observer.heartbeat('p17', 'orchestrator');
  expect(await observer.isLeaseHeld('p16', 'phase-kept')).toBe(true);
});

it('a process that cannot write heartbeats considers no other process dead', async () => {
  const owner = createSilent();
  owner.addLease('phase-far');
  await owner.heartbeat('p14', 'tactical-worker');
  await ageHeartbeat('p14', '20 seconds');
  const own = createRegistry(20);
  await own.heartbeat('p15', 'orchestrator');
  expect(await own.isLeaseHeld('p14', 'phase-far')).toBe(false);
  const since = vi.spyOn(own, 'sinceHeartbeatMs', 'get').mockReturnValue(6_000);
  expect(await own.isLeaseHeld('p14', 'phase-far')).toBe(true);
  expect(await own.listAbandoned()).toEqual([]);
  since.mockRestore();
});

it('heartbeats include the number of slots', async () => {
  const own = createSilent();
  own.setSlots(12);
  await own.heartbeat('p10', 'tactical-worker');
  const { rows } = await pools.service.query("SELECT slots FROM phaseline.processes WHERE process_id = 'p10'");
  expect(rows).toEqual([{ slots: 12 }]);
});

it('a heartbeat reports what the process handles, and a process that reports nothing is not idle', async () => {
  const handled = [{ queue: 'jobs', minute: 29_000_000, due: 2, done: 3 }];
  let running = 0;
  const own = new ProcessRegistry(pools.service, {
    heartbeatIntervalMs: 20,
    load: () => ({ running: (running += 1), concurrency: 4, handled }),
  });
  open.push(own);
  await own.heartbeat('loaded', 'orchestrator');
  await createSilent().heartbeat('silent', 'orchestrator');
  const loadOf = async (processId: string) =>
    (await own.listReports()).find((report) => report.processId === processId)!.load;
  expect(await loadOf('loaded')).toMatchObject({ concurrency: 4, handled });
  await waitUntil(async () => ((await loadOf('loaded'))!.running > 2 ? true : undefined));
  expect(await loadOf('silent')).toBeUndefined();
});
