import { toCanonicalJson } from '@phaseline/basics';
import { preferencesStream } from '@phaseline/domain';
import { queryRows, runInTransaction, type EventStore } from '@phaseline/event-store';
import type pg from 'pg';
import { COLUMNS, toStored, writePreferences, type PreferenceOwner, type PreferenceRow } from './preference-store.js';
import { foldPreferences, type StoredPreferences } from './preferences.js';

const PREFIX = 'preferences-';

/** Returns how the table of lasting preferences differs from the log; empty if they agree. Throws DatabaseUnreachable. */
export async function comparePreferences(pool: pg.Pool, store: Pick<EventStore, 'read'>): Promise<readonly string[]> {
  const rows = await queryRows<PreferenceRow>(pool, {
    text: `SELECT ${COLUMNS} FROM phaseline.interaction_policies`,
    values: [],
  });
  const stored = new Map(rows.map((row) => [preferencesStream(row.user_name, row.tenant) as string, toStored(row)]));
  const logged = await foldAll(pool, store);
  const streams = [...new Set([...stored.keys(), ...logged.keys()])].sort();
  return streams.flatMap((stream) => {
    const [found, expected] = [stored.get(stream), logged.get(stream)?.preferences];
    const name = stream.slice(PREFIX.length);
    if (!found) return [`the preferences of ${name} are missing`];
    if (!expected) return [`the preferences of ${name} are not in the log`];
    return toCanonicalJson(toJson(found)) === toCanonicalJson(toJson(expected))
      ? []
      : [`the preferences of ${name} are not as in the log`];
  });
}

/** Builds the table of lasting preferences from the log again, in one transaction. Returns the number of rows. */
export async function rebuildPreferences(pool: pg.Pool, store: Pick<EventStore, 'read'>): Promise<number> {
  return runInTransaction(pool, async (client) => {
    // A change in the meantime waits, and is then made to the new rows.
    await client.query('LOCK TABLE phaseline.interaction_policies IN SHARE ROW EXCLUSIVE MODE');
    const logged = await foldAll(pool, store);
    await client.query('DELETE FROM phaseline.interaction_policies');
    for (const { owner, preferences } of logged.values()) await writePreferences(client, owner, preferences);
    return logged.size;
  });
}

interface Logged {
  readonly owner: PreferenceOwner;
  readonly preferences: StoredPreferences;
}

async function foldAll(pool: pg.Pool, store: Pick<EventStore, 'read'>): Promise<ReadonlyMap<string, Logged>> {
  const streams = await queryRows<{ stream_id: string }>(pool, {
    text: 'SELECT stream_id FROM phaseline.events WHERE stream_id LIKE $1 AND version = 1 ORDER BY stream_id',
    values: [`${PREFIX}%`],
  });
  const logged = new Map<string, Logged>();
  for (const { stream_id: stream } of streams)
    logged.set(stream, { owner: parseOwner(stream), preferences: foldPreferences(await store.read(stream)) });
  return logged;
}

/** Names of tenants contain no `@`. */
function parseOwner(stream: string): PreferenceOwner {
  const at = stream.lastIndexOf('@');
  return { user: stream.slice(PREFIX.length, at), tenant: stream.slice(at + 1) };
}

function toJson({ values, version, position, stylePosition, changedAt }: StoredPreferences) {
  return { values, version, position, stylePosition, changedAt };
}
