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
  const expected = new Map<string, string>();
  for (const { stream_id: streamId, version, type, schema_version: schemaVersion, data } of events) {
    const stored = { streamId, version: Number(version), type, schemaVersion, data };
    const event = findAdministrationCatalogue(streamId)!.decode(stored) as SecretEvent;
    const place = describePlace(streamId.slice('secrets-'.length), event.data.name, event.data.agent ?? '');
    if (event.type === 'SecretStored') expected.set(place, describeHosts(event.data.repositoryHosts));
    else expected.delete(place);
  }
  const rows = await queryRows<{ tenant: string; name: string; agent: string; repository_hosts: string[] }>(pool, {
    text: 'SELECT tenant, name, agent, repository_hosts FROM phaseline.secrets',
    values: [],
  });
  const found = new Map(
    rows.map(({ tenant, name, agent, repository_hosts: hosts }) => [
      describePlace(tenant, name, agent),
      describeHosts(hosts),
    ]),
  );
  return [
    ...[...expected.keys()].filter((place) => !found.has(place)).map((place) => `${place} is missing`),
    ...[...found.keys()].filter((place) => !expected.has(place)).map((place) => `${place} is not in the log`),
    ...[...found]
      .filter(([place, hosts]) => expected.has(place) && expected.get(place) !== hosts)
      .map(([place, hosts]) => `${place} has the hosts ${hosts}, but ${expected.get(place)} in the log`),
  ].sort();
}

function describeHosts(hosts: readonly string[] = []): string {
  return hosts.join(', ') || 'none';
}

function describePlace(tenant: string, name: string, agent: string): string {
  return `${name} of tenant ${tenant}${agent === '' ? '' : ` for agent ${agent}`}`;
}
