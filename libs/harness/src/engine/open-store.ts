import { assertReadable } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import { createTestDatabase } from '@phaseline/testing';

export interface OpenStore {
  readonly store: EventStore;
  readonly url: string;
  close(): Promise<void>;
}

/** Opens a log on a fresh database, with the role of the services. */
export async function openStore(): Promise<OpenStore> {
  const database = await createTestDatabase();
  const pool = createPool(database.serviceUrl, { max: 8, applicationName: 'spec' });
  return {
    store: new EventStore(pool, { checkEvent: assertReadable }),
    url: database.serviceUrl,
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
}
