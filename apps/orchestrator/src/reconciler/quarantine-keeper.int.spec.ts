import { randomUUID } from 'node:crypto';
import { createPool, EventStore, WrongExpectedVersion } from '@phaseline/event-store';
import { DeadLetters, ProcessRegistry, Quarantine } from '@phaseline/cluster';
import { UndecodableEvent } from '@phaseline/domain';
import { QueueUnavailable } from '@phaseline/queue';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type { Logger } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { QuarantineKeeper } from './quarantine-keeper.js';

let database: TestDatabase;
let pool: ReturnType<typeof createPool>;
let store: EventStore;
let quarantine: Quarantine;
let deadLetters: DeadLetters;
let logged: string[];
let keeper: QuarantineKeeper;
const JOB = '01890000-0000-7000-8000-000000000001';
const STREAM = `job-${JOB}`;
const PHASE = `phase-${JOB}-1`;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.ownerUrl);
  store = new EventStore(pool);
});
beforeEach(async () => {
  await pool.query('TRUNCATE phaseline.quarantine, phaseline.dead_letters, phaseline.processes');
  quarantine = new Quarantine(pool, { maxFailures: 3, release: '1' });
  deadLetters = new DeadLetters(pool);
  logged = [];
  const log = (_: unknown, message: string) => void logged.push(message);
  const logger = { error: log, info: log } as unknown as Logger;
  const processes = new ProcessRegistry(pool);
  keeper = new QuarantineKeeper(
    { quarantine, deadLetters, store, processes, logger },
    { maxDeadLetters: 2, countIntervalMs: 0 },
  );
});
afterAll(async () => {
  await store.close();
  await pool.end();
  await database.drop();
});

/** Runs one pass in which these streams fail, except those that are skipped. Returns the skipped ones. */
async function pass(failing: Readonly<Record<string, unknown>> = {}): Promise<string[]> {
  const watched = await keeper.beginPass();
  const skipped = Object.keys(failing).filter((streamId) => watched.shouldSkip(streamId));
  for (const [streamId, error] of Object.entries(failing))
    if (!watched.shouldSkip(streamId)) watched.recordFailure(streamId, error);
  await watched.end();
  // Simulates a next pass more than a second later.
  await pool.query(`UPDATE phaseline.quarantine SET last_at = last_at - interval '2 seconds'`);
  return skipped;
}
const event = { streamId: STREAM, version: 7, type: 'JobTeleported', schemaVersion: 2 };
const broken = (detail = 'at 12:00:01') => new Error(`the decider gave up (${detail})`);

it('a job that cannot be decided is quarantined after several identical failures, and reported once', async () => {
  for (const second of ['01', '02', '03']) expect(await pass({ [STREAM]: broken(`at 12:00:${second}`) })).toEqual([]);
  expect(await pass({ [STREAM]: broken() })).toEqual([STREAM]);
  expect(await pass({ [STREAM]: broken() })).toEqual([STREAM]);
  expect(await quarantine.list()).toMatchObject([
    { streamId: STREAM, correlationId: JOB, failures: 3, reason: 'Error: the decider gave up (at 12:00:03)' },
  ]);
  expect(logged).toEqual(['a stream failed repeatedly in the same way; it is quarantined']);
});

it('transient failures are not counted', async () => {
  for (let time = 0; time < 4; time += 1) {
    await pass({ [STREAM]: new QueueUnavailable('Redis', 'working', new Error('gone')) });
    await pass({ [STREAM]: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }) });
  }
  expect(await quarantine.list()).toEqual([]);
  await pass({ [STREAM]: new WrongExpectedVersion(STREAM, 1, 2) });
  await pass();
  expect(await quarantine.list()).toEqual([]);
});

it('an event of a newer release is left to a process that knows it, and counted when there is none', async () => {
  const newer = new UndecodableEvent(event, 'this release knows its versions up to 1', true);
  const processes = new ProcessRegistry(pool, { schemaVersions: { JobTeleported: 2 } });
  await processes.heartbeat('newer', 'orchestrator');
  for (let time = 0; time < 4; time += 1) await pass({ [STREAM]: newer });
  expect(await quarantine.list()).toEqual([]);
  await processes.close();
  for (let time = 0; time < 3; time += 1) await pass({ [STREAM]: newer });
  expect(await quarantine.count()).toBe(1);
});

it('a check without a failure ends the quarantine, and a release causes an immediate check', async () => {
  for (let time = 0; time < 3; time += 1) await pass({ [STREAM]: broken(), [PHASE]: broken() });
  expect(await quarantine.count()).toBe(2);
  expect(await keeper.release(JOB)).toEqual([STREAM, PHASE]);
  expect(await pass({ [STREAM]: broken() })).toEqual([]);
  for (let time = 0; time < 2; time += 1) await pass({ [STREAM]: broken() });
  await pool.query(`UPDATE phaseline.quarantine SET next_check_at = now() - interval '1 second'`);
  expect(await pass({})).toEqual([]);
  expect(await quarantine.list()).toEqual([]);
  expect(logged.at(-1)).toBe('a quarantined stream continues');
});

it('a phase whose message repeatedly becomes a dead letter is quarantined until its log changes', async () => {
  const append = async (expectedVersion: number) =>
    store.append({
      streamId: PHASE,
      correlationId: JOB,
      expectedVersion,
      events: [{ eventId: randomUUID(), type: 'X', schemaVersion: 1, data: {}, metadata: {} }],
    });
  await append(0);
  const addDeadLetter = async (second: number) =>
    deadLetters.add({
      queue: 'tactical',
      messageId: `${JOB}-1-v1-e0`,
      payload: { json: { jobId: JOB, phase: 1, version: 1, epoch: 0 } },
      reason: 'no such model (not-retryable)',
      attempts: 20,
      enqueuedAt: `2030-01-01T00:00:0${second}.000Z`,
    });
  await addDeadLetter(1);
  await pass();
  expect(await quarantine.list()).toEqual([]);
  await addDeadLetter(2);
  await pass();
  expect(await quarantine.list({ isQuarantined: true })).toMatchObject([
    { streamId: PHASE, correlationId: JOB, reason: expect.stringContaining('no such model') as string },
  ]);
  // A check sends the message again without effect, so the next check is later.
  await pool.query(`UPDATE phaseline.quarantine SET next_check_at = now() - interval '1 second'`);
  await pass();
  expect(await quarantine.listSkipped()).toEqual(new Set([PHASE]));
  // A check after which the log changed: a worker can process it again.
  await pool.query(`UPDATE phaseline.quarantine SET next_check_at = now() - interval '1 second'`);
  await append(1);
  await pass();
  await pass();
  expect(await quarantine.list()).toEqual([]);
  expect(await deadLetters.findRepeated(1)).toEqual([]);
});

it('a released phase is not quarantined again for earlier failures', async () => {
  for (const second of [1, 2]) {
    await deadLetters.add({
      queue: 'tools',
      messageId: 'm',
      payload: { json: { jobId: JOB, phase: 1, callId: 'c', epoch: 0 } },
      reason: 'r',
      attempts: 20,
      enqueuedAt: `2030-01-01T00:00:0${second}.000Z`,
    });
  }
  await pass();
  expect(await quarantine.count()).toBe(1);
  await keeper.release(JOB);
  await pass();
  expect(await quarantine.count()).toBe(0);
});
