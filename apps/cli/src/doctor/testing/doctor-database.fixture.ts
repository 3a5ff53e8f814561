import { randomUUID } from 'node:crypto';
import { createPool, EventStore, RELEASE } from '@phaseline/event-store';
import { ProcessRegistry } from '@phaseline/cluster';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Check } from '../check.js';
import type { Limits } from '../limits.js';
import type { CheckResult } from '../run-checks.js';
import { closeAll, openTestTarget, runCheck } from './doctor-target.fixture.js';

export interface DoctorDatabase {
  readonly database: TestDatabase;
  /** Connections of the owner of the tables. */
  readonly owner: ReturnType<typeof createPool>;
  readonly store: EventStore;
  /** Runs a check with the login of the services, or that of `url`. */
  run(check: Check, limits?: Partial<Limits>, url?: string): Promise<CheckResult[]>;
  /** Registers a process, which is removed after the test. */
  startProcess(
    processId: string,
    service: string,
    options?: ConstructorParameters<typeof ProcessRegistry>[1],
    gitVersion?: string,
  ): Promise<ProcessRegistry>;
  /** Appends an event to a stream. Returns the id of the stream. */
  append(streamId?: string): Promise<string>;
}

/** Gives the tests of a file a database of their own, in which no process is registered at the start of a test. */
export function useDoctorDatabase(): DoctorDatabase {
  let database: TestDatabase;
  let owner: ReturnType<typeof createPool>;
  let store: EventStore;
  const registries: ProcessRegistry[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    owner = createPool(database.ownerUrl, { max: 4 });
    store = new EventStore(owner);
  });
  beforeEach(() =>
    owner.query(
      'TRUNCATE phaseline.processes, phaseline.dead_letters, phaseline.quarantine, phaseline.subscriptions, phaseline.subscription_members',
    ),
  );
  afterEach(async () => {
    for (const registry of registries.splice(0)) await registry.close();
    await closeAll();
  });
  afterAll(async () => {
    await store.close();
    await owner.end();
    await database.drop();
  });
  return {
    get database() {
      return database;
    },
    get owner() {
      return owner;
    },
    get store() {
      return store;
    },
    run: async (check, limits = {}, url = database.serviceUrl) =>
      runCheck(await openTestTarget({ DATABASE_URL: url }, limits), check),
    startProcess: async (processId, service, options = {}, gitVersion = undefined) => {
      const registry = new ProcessRegistry(owner, { version: RELEASE, ...options });
      registries.push(registry);
      if (gitVersion !== undefined) registry.setAbility('git', gitVersion);
      await registry.heartbeat(processId, service);
      return registry;
    },
    append: async (streamId = `stream-${randomUUID()}`) => {
      const event = { eventId: randomUUID(), type: 'X', schemaVersion: 1, data: {}, metadata: {} };
      await store.append({ streamId, correlationId: streamId, expectedVersion: 'any', events: [event] });
      return streamId;
    },
  };
}
