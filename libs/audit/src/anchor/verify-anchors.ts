import { copyRows, runInSnapshot } from '@phaseline/event-store';
import type pg from 'pg';
import { isSignedBy, type PublicKey } from '../key/audit-key.js';
import { merkleRoot } from './merkle.js';
import { readPublishedKeys, readAnchors } from './read-anchors.js';
import { computeHeadLeaf, FIRST_PREVIOUS_HASH, computeAnchorHash, toAnchorText, type Anchor } from './anchor.js';

/**
 * - `anchor-missing`: an anchor is missing from the sequence, or a receipt exists for an anchor that is not in the log.
 * - `anchor-altered`: an anchor does not match its hash, the previous anchor, its heads or their counts.
 * - `anchor-forged`: the signature is invalid.
 * - `anchor-other-key`: the signature is valid but its key is not trusted: the wrong key was passed, or the anchors were created again.
 * - `receipt-mismatch`: the anchor with this number in the log differs from the receipt.
 */
type AnchorProblemKind =
  'anchor-missing' | 'anchor-altered' | 'anchor-forged' | 'anchor-other-key' | 'receipt-mismatch';

interface AnchorProblem {
  readonly kind: AnchorProblemKind;
  readonly anchor: number;
  readonly detail: string;
}

export interface AnchorReport {
  readonly anchors: number;
  readonly last: Anchor | undefined;
  /** Ids of the keys that signed the anchors. */
  readonly keyIds: readonly string[];
  readonly problems: readonly AnchorProblem[];
}

export interface VerifyAnchorsOptions {
  /** Anchors from receipts stored outside the database. */
  readonly receipts?: readonly Anchor[];
  /** Ids of trusted keys. Default: any key is accepted, and the caller must check `keyIds` of the report. */
  readonly trustedKeyIds?: readonly string[];
  readonly signal?: AbortSignal;
}

const ANCHORS_PER_PAGE = 1_000;

/**
 * Verifies the anchors: consecutive numbers, links to the previous anchor, hashes, signatures, Merkle roots and counts. It does not
 * compare them with the events; `verifyChain` does.
 * @throws DatabaseUnreachable
 */
export function verifyAnchors(pool: pg.Pool, options: VerifyAnchorsOptions = {}): Promise<AnchorReport> {
  return runInSnapshot(pool, (client) => verify(client, options));
}

async function verify(client: pg.PoolClient, options: VerifyAnchorsOptions): Promise<AnchorReport> {
  const problems: AnchorProblem[] = [];
  const reportAt = (anchor: number, kind: AnchorProblemKind, detail: string): void =>
    void problems.push({ kind, anchor, detail });
  const keys = new Map((await readPublishedKeys(client)).map((key) => [key.keyId, key]));
  const roots = await computeRoots(client, options.signal);
  const totals = await readTotals(client);
  const receipts = new Map<number, Anchor[]>();
  for (const anchor of options.receipts ?? [])
    receipts.set(anchor.number, [...(receipts.get(anchor.number) ?? []), anchor]);
  const otherKey: Anchor[] = [];
  const usedKeyIds = new Set<string>();
  const before = { number: 0, hash: FIRST_PREVIOUS_HASH, streams: 0, events: 0, horizon: -1n };
  let last: Anchor | undefined;
  let count = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    const page = await readAnchors(client, last?.number ?? 0, ANCHORS_PER_PAGE);
    for (const anchor of page) {
      const report = (kind: AnchorProblemKind, detail: string): void => reportAt(anchor.number, kind, detail);
      if (anchor.number !== before.number + 1) {
        const first = before.number + 1;
        reportAt(first, 'anchor-missing', `anchors ${first} to ${anchor.number - 1} are missing`);
      } else if (anchor.previousHash !== before.hash) {
        report('anchor-altered', 'it does not link to the hash of the previous anchor');
      }
      const added = totals.get(anchor.number) ?? { streams: 0, events: 0, backwards: false };
      checkStatement(anchor, { root: roots.get(anchor.number), added, before, report });
      if (checkSignature(anchor, keys, report) && options.trustedKeyIds?.includes(anchor.keyId) === false)
        otherKey.push(anchor);
      const receipt = receipts.get(anchor.number)?.find(({ hash }) => hash !== anchor.hash);
      if (receipt)
        report(
          'receipt-mismatch',
          `the receipt of ${receipt.anchoredAt} has the hash ${receipt.hash}, but the log has ${anchor.hash}`,
        );
      receipts.delete(anchor.number);
      roots.delete(anchor.number);
      usedKeyIds.add(anchor.keyId);
      Object.assign(before, { ...anchor, horizon: BigInt(anchor.horizon) });
      last = anchor;
      count += 1;
    }
    if (page.length < ANCHORS_PER_PAGE) break;
  }
  // verifyChain trusts stored heads, so heads without an anchor are a problem.
  for (const [anchor, { heads }] of roots)
    reportAt(anchor, 'anchor-missing', `${heads} heads are stored for it, but the anchor is missing`);
  // Report consecutive anchors as one problem: there may be thousands of them.
  for (const run of runsOf([...receipts.values()].map(([receipt]) => receipt!)))
    reportAt(
      run[0]!.number,
      'anchor-missing',
      run.length === 1
        ? `a receipt of ${run[0]!.anchoredAt} exists for it`
        : `receipts exist for anchors ${run[0]!.number} to ${run.at(-1)!.number}, dated ${run[0]!.anchoredAt} to ${run.at(-1)!.anchoredAt}`,
    );
  for (const run of runsOf(otherKey))
    reportAt(
      run[0]!.number,
      'anchor-other-key',
      `${run.length === 1 ? 'it is' : `anchors ${run[0]!.number} to ${run.at(-1)!.number} are`} signed by the key ${run[0]!.keyId}, which is not trusted: ` +
        'either the key you passed is not the key of the anchoring service, or the anchors were created again with another key',
    );
  return { anchors: count, last, keyIds: [...usedKeyIds], problems };
}

interface Totals {
  readonly streams: number;
  readonly events: number;
  readonly backwards: boolean;
}

function checkStatement(
  anchor: Anchor,
  parts: {
    readonly root: { readonly root: string; readonly heads: number } | undefined;
    readonly added: Totals;
    readonly before: { readonly streams: number; readonly events: number; readonly horizon: bigint };
    readonly report: (kind: AnchorProblemKind, detail: string) => void;
  },
): void {
  const { root, added, before, report } = parts;
  if (computeAnchorHash(anchor) !== anchor.hash) report('anchor-altered', 'its hash does not match its content');
  if (root?.root !== anchor.root || root.heads !== anchor.heads)
    report('anchor-altered', `its root does not match the ${root?.heads ?? 0} heads stored for it`);
  else if (
    anchor.streams !== before.streams + added.streams ||
    anchor.events !== before.events + added.events ||
    added.backwards ||
    BigInt(anchor.horizon) <= before.horizon
  )
    report('anchor-altered', 'its counts do not follow from the previous anchor and its heads');
}

function checkSignature(
  anchor: Anchor,
  keys: ReadonlyMap<string, PublicKey>,
  report: (kind: AnchorProblemKind, detail: string) => void,
): boolean {
  const key = keys.get(anchor.keyId);
  if (!key) report('anchor-forged', `its key ${anchor.keyId} is not published`);
  else if (!isSignedBy(key, toAnchorText(anchor), Buffer.from(anchor.signature, 'hex')))
    report('anchor-forged', `its signature by the key ${anchor.keyId} is invalid`);
  else return true;
  return false;
}

/** Groups anchors into runs of consecutive numbers with the same key. */
function runsOf(anchors: readonly Anchor[]): Anchor[][] {
  const runs: Anchor[][] = [];
  for (const anchor of [...anchors].sort((left, right) => left.number - right.number)) {
    const last = runs.at(-1)?.at(-1);
    if (last && last.number + 1 === anchor.number && last.keyId === anchor.keyId) runs.at(-1)!.push(anchor);
    else runs.push([anchor]);
  }
  return runs;
}

/** Computes the Merkle root over the stored heads of each anchor, in one pass. */
async function computeRoots(
  client: pg.ClientBase,
  signal: AbortSignal | undefined,
): Promise<Map<number, { root: string; heads: number }>> {
  const roots = new Map<number, { root: string; heads: number }>();
  let current = 0;
  let leaves: Buffer[] = [];
  const finishAnchor = (): void => {
    if (leaves.length > 0) roots.set(current, { root: merkleRoot(leaves).toString('hex'), heads: leaves.length });
    leaves = [];
  };
  await client.query('SET LOCAL enable_sort = off');
  const query = 'SELECT anchor, stream_id, version, hash FROM phaseline.anchored_heads ORDER BY anchor, stream_id';
  await copyRows(client, query, 4, ({ buffer, starts, lengths }) => {
    const anchor = Number(buffer.readBigInt64BE(starts[0]!));
    if (anchor !== current) {
      signal?.throwIfAborted();
      finishAnchor();
      current = anchor;
    }
    leaves.push(
      computeHeadLeaf({
        streamId: buffer.toString('utf8', starts[1]!, starts[1]! + lengths[1]!),
        version: Number(buffer.readBigInt64BE(starts[2]!)),
        hash: buffer.toString('hex', starts[3]!, starts[3]! + lengths[3]!),
      }),
    );
  });
  finishAnchor();
  return roots;
}

/** Reads how many streams and events each anchor adds, computed from its heads and those of earlier anchors. */
async function readTotals(client: pg.ClientBase): Promise<Map<number, Totals>> {
  await client.query('SET LOCAL enable_sort = on');
  const { rows } = await client.query<{ anchor: string; streams: string; events: string; backwards: boolean }>(
    `SELECT anchor, count(*) FILTER (WHERE before IS NULL) AS streams, sum(version - coalesce(before, 0)) AS events,
            bool_or(before IS NOT NULL AND (version <= before OR anchor <= anchor_before)) AS backwards
     FROM (SELECT anchor, version, lag(version) OVER w AS before, lag(anchor) OVER w AS anchor_before
           FROM phaseline.anchored_heads WINDOW w AS (PARTITION BY stream_id ORDER BY version)) AS h GROUP BY anchor`,
  );
  return new Map(
    rows.map(({ anchor, streams, events, backwards }) => [
      Number(anchor),
      { streams: Number(streams), events: Number(events), backwards },
    ]),
  );
}
