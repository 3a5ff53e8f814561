import { isDeepStrictEqual } from 'node:util';
import { evolveGuard, listGuardsInForce, NO_GUARD, type Guard, type GuardHistory } from '@phaseline/domain';
import { queryRows, type EventStore } from '@phaseline/event-store';
import type pg from 'pg';
import { decodeGuardEvent } from './guard-registry.js';

/** Returns how the guards that phases receive differ from the log; empty if they agree. */
export async function compareGuards(pool: pg.Pool, store: Pick<EventStore, 'read'>): Promise<readonly string[]> {
  const streams = await queryRows<{ stream_id: string }>(pool, {
    text: `SELECT stream_id FROM phaseline.streams WHERE stream_id LIKE 'guard-%' ORDER BY stream_id`,
    values: [],
  });
  const rows = await queryRows<{ tenant: string; name: string; stream_version: number; in_force: Guard[] }>(pool, {
    text: 'SELECT tenant, name, stream_version, in_force FROM phaseline.guards',
    values: [],
  });
  const found = new Map(rows.map((row) => [describePlace(row.name, row.tenant), row]));
  const differences: string[] = [];
  for (const { stream_id: streamId } of streams) {
    const [name = '', tenant = ''] = streamId.slice('guard-'.length).split('@');
    const place = describePlace(name, tenant);
    const history = (await store.read(streamId)).reduce<GuardHistory>(
      (before, recorded) => evolveGuard(before, decodeGuardEvent(recorded)),
      NO_GUARD,
    );
    const row = found.get(place);
    found.delete(place);
    if (!row) differences.push(`${place} is missing`);
    // A change between the two reads is no difference.
    else if (row.stream_version > history.streamVersion) continue;
    else if (!isDeepStrictEqual(row.in_force, JSON.parse(JSON.stringify(listGuardsInForce(history, scopeOf(tenant))))))
      differences.push(`${place} has other versions in shadow and production`);
  }
  return [...differences, ...[...found.keys()].map((place) => `${place} is not in the log`)].sort();
}

const scopeOf = (tenant: string) => (tenant === '' ? 'system' : 'tenant');

function describePlace(name: string, tenant: string): string {
  return tenant === '' ? `${name} of the installation` : `${name} of tenant ${tenant}`;
}
