import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { NewEvent, StreamAppend } from '../append/append-types.js';
import { EventStore } from '../event-store.js';
import { newEvent } from './store.fixture.js';
import { MasterKeys } from '../encryption/master-keys.js';
import type { Redact } from '../encryption/encrypt-unit.js';

/** A redaction for specs: keeps numbers and replaces everything else. Events of type `Open` have no content to redact. */
export const redact: Redact = (type, data) =>
  type === 'Open'
    ? data
    : Object.fromEntries(Object.entries(data).map(([name, value]) => [name, typeof value === 'number' ? value : '-']));

export const masterKey = MasterKeys.generate();

export function createEncryptedStore(pool: pg.Pool, keys = masterKey, keyCacheMs = 60_000): EventStore {
  return new EventStore(pool, { encryption: { masterKeys: MasterKeys.parse(keys), redact, keyCacheMs } });
}

/** Creates the id of an encrypted correlation. */
export function createEncryptedId(): string {
  const hex = randomBytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-9${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Creates an append to the only stream of a correlation. */
export function createEncryptedAppend(
  id: string,
  events: readonly Partial<NewEvent>[],
  fields: Partial<StreamAppend> = {},
): StreamAppend {
  return {
    streamId: `stream-${id}`,
    correlationId: id,
    expectedVersion: 'any',
    events: events.map((event) => newEvent({ type: 'Said', ...event })),
    ...fields,
  };
}

/** Wraps a pool to count its queries. */
export function createCountingPool(pool: pg.Pool): { readonly pool: pg.Pool; readonly queries: () => number } {
  let queries = 0;
  const proxy = new Proxy(pool, {
    get: (target, key) => {
      if (key === 'query') queries += 1;
      const member: unknown = Reflect.get(target, key);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { pool: proxy, queries: () => queries };
}
