import { runInTransaction } from '@phaseline/event-store';
import type pg from 'pg';
import type { AuditKey } from '../key/audit-key.js';
import { merkleRoot } from './merkle.js';
import { readLastAnchor } from './read-anchors.js';
import {
  computeHeadLeaf,
  FIRST_PREVIOUS_HASH,
  computeAnchorHash,
  toAnchorText,
  type Anchor,
  type AnchoredStreamHead,
  type AnchorStatement,
} from './anchor.js';

export interface CreateAnchorsOptions {
  /** Clock of the anchoring process. */
  readonly now: () => Date;
  /** Minimum age of the last anchor in milliseconds before a new one is created. Default 0. */
  readonly minAgeMs?: number;
  /** Whether to wait while another process creates anchors. If false, creates none in that case. Default true. */
  readonly wait?: boolean;
  /** Approximate maximum number of events per anchor. Default 200,000. */
  readonly maxEventsPerAnchor?: number;
  readonly signal?: AbortSignal;
}

/** Key of the advisory lock that serialises anchoring in a database. phaseline.add_anchor takes the same lock. */
const ANCHOR_LOCK = 7_406_318_256;
/** Bounds the memory needed to create the first anchors of a large log. */
const MAX_EVENTS_PER_ANCHOR = 200_000;

/**
 * Anchors the events committed since the last anchor, in as many anchors as needed. Covers only events below the oldest open
 * transaction, so that no event can appear later within an anchored range.
 * @returns the new anchors in order; empty if there are no new events
 * @throws DatabaseUnreachable
 */
export async function createAnchors(pool: pg.Pool, key: AuditKey, options: CreateAnchorsOptions): Promise<Anchor[]> {
  const anchors: Anchor[] = [];
  for (;;) {
    options.signal?.throwIfAborted();
    const anchor = await runInTransaction(pool, (client) =>
      createNextAnchor(client, key, options, anchors.length === 0),
    );
    if (!anchor) return anchors;
    anchors.push(anchor);
  }
}

async function createNextAnchor(
  client: pg.PoolClient,
  key: AuditKey,
  { now, minAgeMs = 0, wait = true, maxEventsPerAnchor = MAX_EVENTS_PER_ANCHOR }: CreateAnchorsOptions,
  isFirst: boolean,
): Promise<Anchor | undefined> {
  if (wait) await client.query('SELECT pg_advisory_xact_lock($1)', [ANCHOR_LOCK]);
  else {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [
      ANCHOR_LOCK,
    ]);
    if (!rows[0]?.locked) return undefined;
  }
  const before = await readLastAnchor(client);
  const time = now();
  if (isFirst && before && time.getTime() - Date.parse(before.anchoredAt) < minAgeMs) return undefined;
  const from = before?.horizon ?? '0';
  const horizon = await findHorizon(client, from, maxEventsPerAnchor);
  if (horizon === undefined) return undefined;
  const fresh = await readFreshHeads(client, from, horizon);
  if (fresh.length === 0) return undefined;
  const statement: AnchorStatement = {
    number: (before?.number ?? 0) + 1,
    previousHash: before?.hash ?? FIRST_PREVIOUS_HASH,
    anchoredAt: time.toISOString().replace('Z', '000Z'),
    keyId: key.keyId,
    horizon,
    position: fresh.reduce((greatest, { position }) => Math.max(greatest, position), before?.position ?? 0),
    streams: (before?.streams ?? 0) + fresh.filter(({ anchored }) => anchored === 0).length,
    events: fresh.reduce((sum, { version, anchored }) => sum + version - anchored, before?.events ?? 0),
    heads: fresh.length,
    root: merkleRoot(fresh.map(computeHeadLeaf)).toString('hex'),
  };
  const anchor = {
    ...statement,
    hash: computeAnchorHash(statement),
    signature: key.sign(toAnchorText(statement)).toString('hex'),
  };
  return (await insertAnchor(client, anchor, key, fresh)) ? anchor : undefined;
}

/**
 * Returns the transaction id that bounds the next anchor: the oldest open transaction, or an earlier one if there are too many events
 * for one anchor. Undefined if there are no new events.
 */
async function findHorizon(client: pg.ClientBase, from: string, maxEvents: number): Promise<string | undefined> {
  const { rows } = await client.query<{ first: string | null; bound: string | null; open: string }>(
    `WITH open AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xid),
          fresh AS (SELECT transaction_id, position FROM phaseline.events, open WHERE transaction_id >= $1::xid8 AND transaction_id < xid)
     SELECT (SELECT transaction_id FROM fresh ORDER BY transaction_id, position LIMIT 1)::text AS first,
            (SELECT transaction_id FROM fresh ORDER BY transaction_id, position OFFSET $2 LIMIT 1)::text AS bound,
            xid::text AS open FROM open`,
    [from, maxEvents],
  );
  const { first, bound, open } = rows[0]!;
  if (first === null) return undefined;
  if (bound === null) return open;
  // All events of a transaction belong to the same anchor, even if they exceed the maximum.
  return bound === first ? String(BigInt(bound) + 1n) : bound;
}

interface FreshHead extends AnchoredStreamHead {
  readonly position: number;
  /** Version of the stream in the last anchor that covers it; 0 if none does. */
  readonly anchored: number;
}

/**
 * Reads the heads of streams with events that no anchor covers yet. Skips events that are already anchored: if someone changed their
 * transaction id they look new, but an anchor that covers them again would not verify.
 */
async function readFreshHeads(client: pg.ClientBase, from: string, horizon: string): Promise<FreshHead[]> {
  const { rows } = await client.query<[string, string, string, string, string]>({
    text: `WITH fresh AS (
        SELECT stream_id, max(version) AS version, max(position) AS position
        FROM phaseline.events WHERE transaction_id >= $1::xid8 AND transaction_id < $2::xid8 GROUP BY stream_id)
      SELECT f.stream_id, f.version, encode(e.hash, 'hex'), f.position, coalesce(s.version, 0)
      FROM fresh AS f JOIN phaseline.events AS e ON e.stream_id = f.stream_id AND e.version = f.version
      LEFT JOIN LATERAL (
        SELECT h.version FROM phaseline.anchored_heads AS h WHERE h.stream_id = f.stream_id ORDER BY h.version DESC LIMIT 1
      ) AS s ON true
      WHERE f.version > coalesce(s.version, 0)
      ORDER BY f.stream_id`,
    values: [from, horizon],
    rowMode: 'array',
  });
  return rows.map(([streamId, version, hash, position, anchored]) => ({
    streamId,
    version: Number(version),
    hash,
    position: Number(position),
    anchored: Number(anchored),
  }));
}

/** Returns false if another process has added an anchor in the meantime. */
async function insertAnchor(
  client: pg.ClientBase,
  anchor: Anchor,
  key: AuditKey,
  heads: readonly AnchoredStreamHead[],
): Promise<boolean> {
  const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
  const { rows } = await client.query<{ added: boolean }>(
    `SELECT phaseline.add_anchor($1, $2, $3, $4, $5::xid8, $6, $7, $8, $9, $10, $11, $12, $13,
       ARRAY(SELECT decode(h, 'hex') FROM unnest($14::text[]) WITH ORDINALITY AS t(h, n) ORDER BY n)) AS added`,
    [
      anchor.number,
      bytes(anchor.previousHash),
      anchor.anchoredAt,
      key.der,
      anchor.horizon,
      anchor.position,
      anchor.streams,
      anchor.events,
      bytes(anchor.root),
      bytes(anchor.hash),
      bytes(anchor.signature),
      heads.map(({ streamId }) => streamId),
      heads.map(({ version }) => version),
      heads.map(({ hash }) => hash),
    ],
  );
  return rows[0]!.added;
}
