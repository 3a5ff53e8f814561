import type pg from 'pg';
import { parsePublicKey, type PublicKey } from '../key/audit-key.js';
import type { Anchor } from './anchor.js';

const COLUMNS = `number, encode(previous_hash, 'hex') AS previous_hash,
  to_char(anchored_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS anchored_at, encode(key_id, 'hex') AS key_id,
  horizon::text, position, streams, events, heads, encode(root, 'hex') AS root, encode(hash, 'hex') AS hash,
  encode(signature, 'hex') AS signature`;

/** Reads the newest anchor; undefined if there is none. */
export async function readLastAnchor(client: pg.Pool | pg.ClientBase): Promise<Anchor | undefined> {
  const { rows } = await client.query<AnchorRow>(
    `SELECT ${COLUMNS} FROM phaseline.anchors ORDER BY number DESC LIMIT 1`,
  );
  return rows[0] && toAnchor(rows[0]);
}

/** Reads up to `limit` anchors with a number above `after`, in order. */
export async function readAnchors(client: pg.ClientBase, after: number, limit: number): Promise<Anchor[]> {
  const { rows } = await client.query<AnchorRow>(
    `SELECT ${COLUMNS} FROM phaseline.anchors WHERE number > $1 ORDER BY number LIMIT $2`,
    [after, limit],
  );
  return rows.map(toAnchor);
}

/** Reads up to `limit` anchors, newest first; those with a number below `before` if it is given. */
export async function readNewestAnchors(
  client: pg.Pool | pg.ClientBase,
  { before, limit }: { readonly before?: number | undefined; readonly limit: number },
): Promise<Anchor[]> {
  const { rows } = await client.query<AnchorRow>(
    `SELECT ${COLUMNS} FROM phaseline.anchors WHERE $1::bigint IS NULL OR number < $1 ORDER BY number DESC LIMIT $2`,
    [before ?? null, limit],
  );
  return rows.map(toAnchor);
}

/** Reads the published public keys of anchors. Skips values that are not valid keys. */
export async function readPublishedKeys(client: pg.Pool | pg.ClientBase): Promise<PublicKey[]> {
  const { rows } = await client.query<{ public_key: Buffer }>(
    'SELECT public_key FROM phaseline.audit_keys ORDER BY published_at, key_id',
  );
  return rows.flatMap(({ public_key }) => {
    try {
      return [parsePublicKey(public_key)];
    } catch {
      return [];
    }
  });
}

interface AnchorRow {
  readonly number: string;
  readonly previous_hash: string;
  readonly anchored_at: string;
  readonly key_id: string;
  readonly horizon: string;
  readonly position: string;
  readonly streams: string;
  readonly events: string;
  readonly heads: string;
  readonly root: string;
  readonly hash: string;
  readonly signature: string;
}

function toAnchor(row: AnchorRow): Anchor {
  return {
    number: Number(row.number),
    previousHash: row.previous_hash,
    anchoredAt: row.anchored_at,
    keyId: row.key_id,
    horizon: row.horizon,
    position: Number(row.position),
    streams: Number(row.streams),
    events: Number(row.events),
    heads: Number(row.heads),
    root: row.root,
    hash: row.hash,
    signature: row.signature,
  };
}
