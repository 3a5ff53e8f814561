import type { JobId, StreamId } from '@phaseline/contracts';
import pg from 'pg';
import { BinaryEvent, EVENT_COLUMN_COUNT, EVENT_COLUMNS_BINARY } from './binary-event.js';
import { copyRows } from './copy-rows.js';
import type { StoredEvent, StreamEvidence } from './diagnose-stream.js';

/** Reads number and horizon of the last anchor: all events with a transaction id below the horizon are anchored. */
export async function readLastAnchor(client: pg.ClientBase): Promise<{ number: number; horizon: bigint } | undefined> {
  const { rows } = await client.query<{ number: string; horizon: string }>(
    'SELECT number, horizon::text FROM phaseline.anchors ORDER BY number DESC LIMIT 1',
  );
  return rows[0] && { number: Number(rows[0].number), horizon: BigInt(rows[0].horizon) };
}

/** Reads everything that the database stores about a faulty stream into memory. */
export async function readEvidence(
  client: pg.ClientBase,
  streamId: StreamId,
  lastAnchor: { readonly number: number; readonly horizon: bigint } | undefined,
): Promise<StreamEvidence> {
  const events: StoredEvent[] = [];
  const event = new BinaryEvent();
  await copyRows(
    client,
    `SELECT ${EVENT_COLUMNS_BINARY} FROM phaseline.events WHERE stream_id = ${pg.escapeLiteral(streamId)} ORDER BY version`,
    EVENT_COLUMN_COUNT,
    (row) => {
      const { position, transactionId, hashBytes } = event.read(row);
      events.push({ ...event.toHashedEvent(), position, transactionId, hash: Buffer.from(hashBytes) });
    },
  );
  const heads = await client.query<{ version: string; hash: Buffer; closed: boolean; correlation_id: JobId }>(
    'SELECT version, hash, closed, correlation_id FROM phaseline.streams WHERE stream_id = $1',
    [streamId],
  );
  const anchored = await client.query<{ anchor: string; version: string; hash: Buffer }>(
    'SELECT anchor, version, hash FROM phaseline.anchored_heads WHERE stream_id = $1 ORDER BY version',
    [streamId],
  );
  const head = heads.rows[0];
  return {
    streamId,
    events,
    head: head && {
      version: Number(head.version),
      hash: head.hash,
      closed: head.closed,
      correlationId: head.correlation_id,
    },
    anchored: anchored.rows.map(({ anchor, version, hash }) => ({
      anchor: Number(anchor),
      version: Number(version),
      hash,
    })),
    lastAnchor,
  };
}
