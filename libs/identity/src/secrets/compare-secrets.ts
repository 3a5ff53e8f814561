import type { SecretEvent } from '@phaseline/domain';
import { findAdministrationCatalogue } from '@phaseline/domain';
import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';

interface EventRow {
  readonly stream_id: string;
  readonly version: string;
  readonly type: string;
  readonly schema_version: number;
  readonly data: unknown;
}

/** Returns how the table of secrets differs from the log; empty if they agree. */
export async function compareSecrets(pool: pg.Pool): Promise<readonly string[]> {
  const events = await queryRows<EventRow>(pool, {
    text: `SELECT stream_id, version, type, schema_version, data FROM phaseline.events
      WHERE stream_id LIKE 'secrets-%' ORDER BY stream_id, version`,
    values: [],
  });
  const expected = new Set<string>();
  for (const { stream_id: streamId, version, type, schema_version: schemaVersion, data } of events) {
    const stored = { streamId, version: Number(version), type, schemaVersion, data };
    const event = findAdministrationCatalogue(streamId)!.decode(stored) as SecretEvent;
    const place = describePlace(streamId.slice('secrets-'.length), event.data.name, event.data.agent ?? '');
    if (event.type === 'SecretStored') expected.add(place);
    else expected.delete(place);
  }
  const rows = await queryRows<{ tenant: string; name: string; agent: string }>(pool, {
    text: 'SELECT tenant, name, agent FROM phaseline.secrets',
    values: [],
  });
  const found = new Set(rows.map(({ tenant, name, agent }) => describePlace(tenant, name, agent)));
  return [
    ...[...expected].filter((place) => !found.has(place)).map((place) => `${place} is missing`),
    ...[...found].filter((place) => !expected.has(place)).map((place) => `${place} is not in the log`),
  ].sort();
}

function describePlace(tenant: string, name: string, agent: string): string {
  return `${name} of tenant ${tenant}${agent === '' ? '' : ` for agent ${agent}`}`;
}
