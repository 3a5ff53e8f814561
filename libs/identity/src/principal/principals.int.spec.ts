import { createPool, EventStore } from '@phaseline/event-store';
import { assertReadable } from '@phaseline/domain';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../caller/caller.js';
import { hasRight } from '../caller/caller.js';
import { KeyDirectory } from '../key/key-directory.js';
import { Principals } from './principals.js';

const admin: Caller = { id: 'root', kind: 'person', roles: [{ role: 'admin', tenant: '*' }] };
let database: TestDatabase;
let pool: pg.Pool;
let store: EventStore;
let principals: Principals;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl);
  store = new EventStore(pool, { checkEvent: assertReadable });
  principals = new Principals(pool, store);
});
afterAll(async () => {
  await store.close();
  await pool.end();
  await database.drop();
});

/** Asks a new process, which remembers nothing. */
const findCaller = (key: string): Promise<Caller | undefined> => new KeyDirectory(pool).findCaller(key);

describe('a principal', () => {
  it('is in the tables exactly as in the log', async () => {
    await principals.create(admin, 'ada', 'person');
    await principals.grant(admin, 'ada', 'operator', 'acme');
    await principals.grant(admin, 'ada', 'auditor', '*');
    await principals.revokeRole(admin, 'ada', 'auditor', '*');
    const { stored } = await principals.createKey(admin, 'ada', {
      label: 'laptop',
      rights: ['jobs:read'],
      expiresAt: '2099-01-01T00:00:00.000Z',
    });
    await principals.createKey(admin, 'ada', { label: 'phone' });
    await principals.revokeKey(admin, stored.prefix, 'lost');
    await principals.disable(admin, 'ada', 'on leave');
    const folded = await principals.fold('ada');
    expect(folded).toMatchObject({ roles: [{ role: 'operator', tenant: 'acme' }], disabledAt: expect.any(String) });
    expect(await principals.get('ada')).toEqual(folded);
    const events = await store.read('principal-ada');
    expect(events[0]).toMatchObject({ metadata: { actor: { id: 'root', kind: 'person' } } });
  });

  it('is created once, also by two callers at once', async () => {
    const attempts = await Promise.allSettled([1, 2, 3].map(() => principals.create(admin, 'bob', 'person')));
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('gets no right from a caller who lacks it', async () => {
    await principals.create(admin, 'eve', 'service');
    const limited: Caller = { ...admin, limits: { rights: ['principals:manage', 'keys:manage'] } };
    await expect(principals.grant(limited, 'eve', 'operator', 'acme')).rejects.toMatchObject({ code: 'forbidden' });
    await principals.grant(admin, 'eve', 'operator', 'acme');
    await expect(principals.createKey(limited, 'eve', { label: '' })).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('a key', () => {
  it('identifies its principal, and is stored nowhere', async () => {
    await principals.create(admin, 'carl', 'service');
    await principals.grant(admin, 'carl', 'viewer', 'acme');
    const { key } = await principals.createKey(admin, 'carl', { label: 'ci' });
    expect(await findCaller(key)).toMatchObject({ id: 'carl', kind: 'service' });
    expect(await findCaller(`${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`)).toBeUndefined();
    const secret = key.split('_').slice(2).join('_');
    for (const table of ['principal_keys', 'events']) {
      const { rows } = await pool.query<{ text: string }>(`SELECT t::text AS text FROM phaseline.${table} AS t`);
      expect(rows.map(({ text }) => text).join()).not.toContain(secret);
    }
  });

  it('is refused after it was revoked, has expired, or its principal was disabled', async () => {
    await principals.create(admin, 'dora', 'person');
    await principals.grant(admin, 'dora', 'viewer', '*');
    const expired = await principals.createKey(admin, 'dora', { label: '', expiresAt: '2020-01-01T00:00:00.000Z' });
    expect(await findCaller(expired.key)).toBeUndefined();
    const { key, stored } = await principals.createKey(admin, 'dora', { label: '' });
    const remembering = new KeyDirectory(pool);
    expect(await remembering.findCaller(key)).toBeDefined();
    await principals.disable(admin, 'dora', '');
    expect(await findCaller(key)).toBeUndefined();
    await principals.enable(admin, 'dora');
    await principals.revokeKey(admin, stored.prefix, '');
    expect(await findCaller(key)).toBeUndefined();
    await expect.poll(() => remembering.findCaller(key), { timeout: 20_000 }).toBeUndefined();
  });

  it('names no right and no tenant that its principal lacks, and loses those that the principal loses', async () => {
    await principals.create(admin, 'fred', 'person');
    await principals.grant(admin, 'fred', 'operator', 'acme');
    const create = (limits: object): Promise<unknown> => principals.createKey(admin, 'fred', { label: '', ...limits });
    await expect(create({ rights: ['keys:manage'] })).rejects.toMatchObject({ code: 'request_refused' });
    await expect(create({ tenants: ['beta'] })).rejects.toMatchObject({ code: 'request_refused' });
    const { key } = await principals.createKey(admin, 'fred', { label: '', rights: ['jobs:control', 'jobs:read'] });
    expect(hasRight((await findCaller(key))!, 'jobs:control', 'acme')).toBe(true);
    expect(hasRight((await findCaller(key))!, 'jobs:submit', 'acme')).toBe(false);
    await principals.revokeRole(admin, 'fred', 'operator', 'acme');
    await principals.grant(admin, 'fred', 'viewer', 'acme');
    expect(hasRight((await findCaller(key))!, 'jobs:control', 'acme')).toBe(false);
    expect(hasRight((await findCaller(key))!, 'jobs:read', 'acme')).toBe(true);
  });
});
