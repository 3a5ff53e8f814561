import { PhaselineClient } from '@phaseline/client';
import { createPool, EventStore } from '@phaseline/event-store';
import { comparePreferences, Principals, rebuildPreferences, type Caller } from '@phaseline/identity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const ROOT_KEY = 'key-of-the-spec-0123456789';
const root: Caller = { id: 'root', kind: 'person', roles: [{ role: 'admin', tenant: '*' }] };

let orchestrator: OrchestratorForSpecs;
let pool: ReturnType<typeof createPool>;
let store: EventStore;
const keys = new Map<string, string>();

beforeAll(async () => {
  orchestrator = await startOrchestrator({ PHASELINE_API_KEYS: `root=${ROOT_KEY}` });
  pool = createPool(orchestrator.databaseUrls.service, { max: 4 });
  store = new EventStore(pool);
  const principals = new Principals(pool, store);
  for (const [id, role] of [
    ['ada', 'operator'],
    ['bea', 'operator'],
    ['carl', 'viewer'],
  ] as const) {
    await principals.create(root, id, 'person');
    await principals.grant(root, id, role, 'acme');
    keys.set(id, (await principals.createKey(root, id, { label: 'spec' })).key);
  }
});
afterAll(async () => {
  await store.close();
  await pool.end();
  await orchestrator.stop();
});

const as = (name: string) => new PhaselineClient({ baseUrl: orchestrator.url, apiKey: keys.get(name)!, retries: 0 });

const put = (name: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  orchestrator.json('/v1/me/preferences', {
    method: 'PUT',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${keys.get(name)}`, ...headers },
  });

const capacity = { minutesPerDay: 60, minutesPerWeek: 300 };

describe('the preferences of a person', () => {
  it('are defaults until they are set, and again when they are cleared', async () => {
    const nothing = await as('ada').preferences();
    expect(nothing).toMatchObject({ user: 'ada', tenant: 'acme', version: 0, set: [] });
    expect(nothing.preferences).toMatchObject({ tone: 'neutral', probingDepth: 2, capacity: { minutesPerDay: 240 } });
    expect(Object.keys(nothing.preferences)).toHaveLength(10);

    const changed = await as('ada').changePreferences({ tone: 'friendly', capacity });
    expect(changed).toMatchObject({ set: ['capacity', 'tone'], preferences: { tone: 'friendly', capacity } });
    expect(changed.version).toBeGreaterThan(0);
    expect(await as('ada').preferences()).toEqual(changed);
    // The same again changes nothing, and is no event.
    expect(await as('ada').changePreferences({ tone: 'friendly' })).toEqual(changed);

    const cleared = await as('ada').changePreferences({ tone: null });
    expect(cleared).toMatchObject({ set: ['capacity'], preferences: { tone: 'neutral', capacity } });
    const events = await store.read('preferences-ada@acme');
    expect(events.map(({ data }) => data)).toEqual([
      { actor: 'ada', changes: { tone: 'friendly', capacity } },
      { actor: 'ada', changes: { tone: null } },
    ]);
    expect(events[0]!.metadata).toMatchObject({ actor: { id: 'ada' } });
  });

  it('are those of nobody else', async () => {
    await as('ada').changePreferences({ autonomy: 'high' });
    expect(await as('bea').preferences()).toMatchObject({ user: 'bea', version: 0, set: [] });
    await expect(as('ada').preferences({ tenant: 'other' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(as('ada').changePreferences({}, { tenant: 'other' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(as('carl').preferences()).rejects.toMatchObject({ code: 'forbidden' });
    await expect(as('carl').changePreferences({ tone: 'friendly' })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it.each([
    [{ mood: 'good' }, 'mood'],
    [{ tone: 'rude' }, 'tone'],
    [{ talkativeness: 1.5 }, 'talkativeness'],
    [{ capacity: { minutesPerDay: 60 } }, 'capacity.minutesPerWeek'],
    [{ calendar: { hours: [{ weekday: 'monday', from: '18:00', to: '17:00' }], holidays: [] } }, 'calendar.hours.0.to'],
  ])('are refused with %j', async (body, path) => {
    const refused = await put('bea', body);
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    const errors = refused.body['errors'] as readonly { readonly path: string }[];
    expect(errors.map((error) => error.path).join()).toMatch(path === 'mood' ? /^(mood)?$/ : path);
    expect((await as('bea').preferences()).set).toEqual([]);
  });

  it('are changed only as they were seen, if the request says so', async () => {
    const { version } = await as('bea').changePreferences({ tone: 'friendly' });
    await as('bea').changePreferences({ tone: 'clinical' });
    await expect(as('bea').changePreferences({ tone: 'neutral' }, {}, { ifVersion: version })).rejects.toMatchObject({
      code: 'preferences_changed',
    });
    const seen = await as('bea').preferences();
    expect(seen.preferences).toMatchObject({ tone: 'clinical' });
    const changed = await as('bea').changePreferences({ tone: 'neutral' }, {}, { ifVersion: seen.version });
    expect(changed.preferences).toMatchObject({ tone: 'neutral' });
    // A repeat of the same request, whose response was lost, succeeds.
    expect(await as('bea').changePreferences({ tone: 'neutral' }, {}, { ifVersion: seen.version })).toEqual(changed);
    expect(await put('bea', { tone: 'friendly' }, { 'if-match': 'W/"1"' })).toMatchObject({
      ...{ status: 400, body: { errors: [{ path: 'if-match' }] } },
    });
  });

  it('lose no change when several are made at once', async () => {
    await Promise.all([
      as('bea').changePreferences({ tone: 'friendly' }),
      as('bea').changePreferences({ autonomy: 'low' }),
      as('bea').changePreferences({ probingDepth: 0 }),
      as('bea').changePreferences({ talkativeness: 0.1 }),
    ]);
    expect((await as('bea').preferences()).preferences).toMatchObject({
      ...{ tone: 'friendly', autonomy: 'low', probingDepth: 0, talkativeness: 0.1 },
    });
  });
});

it('the table equals the log, also after it was built again', async () => {
  const read = async () =>
    (await pool.query('SELECT * FROM phaseline.interaction_policies ORDER BY tenant, user_name')).rows;
  const rows = await read();
  expect(rows).toHaveLength(2);
  expect(await comparePreferences(pool, store)).toEqual([]);
  await pool.query(`UPDATE phaseline.interaction_policies SET preferences = '{}' WHERE user_name = 'ada'`);
  await pool.query(`DELETE FROM phaseline.interaction_policies WHERE user_name = 'bea'`);
  await pool.query(`INSERT INTO phaseline.interaction_policies VALUES ('acme', 'eve', '{}', 1, 1, NULL, now())`);
  expect(await comparePreferences(pool, store)).toEqual([
    'the preferences of ada@acme are not as in the log',
    'the preferences of bea@acme are missing',
    'the preferences of eve@acme are not in the log',
  ]);
  expect(await rebuildPreferences(pool, store)).toBe(2);
  expect(await read()).toEqual(rows);
  expect(await comparePreferences(pool, store)).toEqual([]);
});
