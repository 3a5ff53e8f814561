import { copyRows, mapDatabaseError } from '@phaseline/event-store';
import type pg from 'pg';
import { isSignedBy, type PublicKey } from '../key/audit-key.js';
import { merkleRoot } from './merkle.js';
import { readPublishedKeys, readAnchors } from './read-anchors.js';
import { computeHeadLeaf, FIRST_PREVIOUS_HASH, computeAnchorHash, toAnchorText, type Anchor } from './anchor.js';

/**
 * - `seal-missing`: an anchor is missing from the sequence, or a receipt exists for an anchor that is not in the log.
 * - `seal-altered`: an anchor does not match its hash, the previous anchor, its heads or their counts.
 * - `seal-forged`: the signature is invalid.
 * - `seal-other-key`: the signature is valid but its key is not trusted: the wrong key was passed, or the anchors were created again.
 * - `receipt-mismatch`: the anchor with this number in the log differs from the receipt.
 */
type AnchorProblemKind = 'seal-missing' | 'seal-altered' | 'seal-forged' | 'seal-other-key' | 'receipt-mismatch';

interface AnchorProblem {
  readonly kind: AnchorProblemKind;
  readonly seal: number;
  readonly detail: string;
}

export interface AnchorReport {
  readonly seals: number;
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

const SEALS_PER_PAGE = 1_000;

/**
 * Verifies the anchors: consecutive numbers, links to the previous anchor, hashes, signatures, Merkle roots and counts. It does not
 * compare them with the events; `verifyChain` does.
 * @throws DatabaseUnreachable
 */
export async function verifyAnchors(pool: pg.Pool, options: VerifyAnchorsOptions = {}): Promise<AnchorReport> {
  let client: pg.PoolClient | undefined;
  try {
    client = await pool.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const report = await verify(client, options);
    await client.query('ROLLBACK');
    client.release();
    return report;
  } catch (error) {
    client?.release(true);
    throw mapDatabaseError(error);
  }
}

async function verify(client: pg.PoolClient, options: VerifyAnchorsOptions): Promise<AnchorReport> {
  const problems: AnchorProblem[] = [];
  const keys = new Map((await readPublishedKeys(client)).map((key) => [key.keyId, key]));
  const roots = await computeRoots(client, options.signal);
  const totals = await readTotals(client);
  const receipts = new Map<number, Anchor[]>();
  for (const seal of options.receipts ?? []) receipts.set(seal.number, [...(receipts.get(seal.number) ?? []), seal]);
  const otherKey: Anchor[] = [];
  const usedKeyIds = new Set<string>();
  const before = { number: 0, hash: FIRST_PREVIOUS_HASH, streams: 0, events: 0, horizon: -1n };
  let last: Anchor | undefined;
  let count = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    const page = await readAnchors(client, last?.number ?? 0, SEALS_PER_PAGE);
    for (const seal of page) {
      const report = (kind: AnchorProblemKind, detail: string): void =>
        void problems.push({ kind, seal: seal.number, detail });
      if (seal.number !== before.number + 1) {
        const detail = `anchors ${before.number + 1} to ${seal.number - 1} are missing`;
        problems.push({ kind: 'seal-missing', seal: before.number + 1, detail });
      } else if (seal.previousHash !== before.hash) {
        report('seal-altered', 'it does not link to the hash of the previous anchor');
      }
      const added = totals.get(seal.number) ?? { streams: 0, events: 0, backwards: false };
      checkStatement(seal, { root: roots.get(seal.number), added, before, report });
      if (checkSignature(seal, keys, report) && options.trustedKeyIds?.includes(seal.keyId) === false)
        otherKey.push(seal);
      const receipt = receipts.get(seal.number)?.find(({ hash }) => hash !== seal.hash);
      if (receipt)
        report(
          'receipt-mismatch',
          `the receipt of ${receipt.sealedAt} has the hash ${receipt.hash}, but the log has ${seal.hash}`,
        );
      receipts.delete(seal.number);
      roots.delete(seal.number);
      usedKeyIds.add(seal.keyId);
      Object.assign(before, { ...seal, horizon: BigInt(seal.horizon) });
      last = seal;
      count += 1;
    }
    if (page.length < SEALS_PER_PAGE) break;
  }
  // verifyChain trusts stored heads, so heads without an anchor are a problem.
  for (const [seal, { heads }] of roots)
    problems.push({
      kind: 'seal-missing',
      seal,
      detail: `${heads} heads are stored for it, but the anchor is missing`,
    });
  // Report consecutive anchors as one problem: there may be thousands of them.
  for (const run of runsOf([...receipts.values()].map(([receipt]) => receipt!)))
    problems.push({
      kind: 'seal-missing',
      seal: run[0]!.number,
      detail:
        run.length === 1
          ? `a receipt of ${run[0]!.sealedAt} exists for it`
          : `receipts exist for anchors ${run[0]!.number} to ${run.at(-1)!.number}, dated ${run[0]!.sealedAt} to ${run.at(-1)!.sealedAt}`,
    });
  for (const run of runsOf(otherKey))
    problems.push({
      kind: 'seal-other-key',
      seal: run[0]!.number,
      detail:
        `${run.length === 1 ? 'it is' : `anchors ${run[0]!.number} to ${run.at(-1)!.number} are`} signed by the key ${run[0]!.keyId}, which is not trusted: ` +
        'either the key you passed is not the key of the anchoring service, or the anchors were created again with another key',
    });
  return { seals: count, last, keyIds: [...usedKeyIds], problems };
}

interface Totals {
  readonly streams: number;
  readonly events: number;
  readonly backwards: boolean;
}

function checkStatement(
  seal: Anchor,
  parts: {
    readonly root: { readonly root: string; readonly heads: number } | undefined;
    readonly added: Totals;
    readonly before: { readonly streams: number; readonly events: number; readonly horizon: bigint };
    readonly report: (kind: AnchorProblemKind, detail: string) => void;
  },
): void {
  const { root, added, before, report } = parts;
  if (computeAnchorHash(seal) !== seal.hash) report('seal-altered', 'its hash does not match its content');
  if (root?.root !== seal.root || root.heads !== seal.heads)
    report('seal-altered', `its root does not match the ${root?.heads ?? 0} heads stored for it`);
  else if (
    seal.streams !== before.streams + added.streams ||
    seal.events !== before.events + added.events ||
    added.backwards ||
    BigInt(seal.horizon) <= before.horizon
  )
    report('seal-altered', 'its counts do not follow from the previous anchor and its heads');
}

function checkSignature(
  seal: Anchor,
  keys: ReadonlyMap<string, PublicKey>,
  report: (kind: AnchorProblemKind, detail: string) => void,
): boolean {
  const key = keys.get(seal.keyId);
  if (!key) report('seal-forged', `its key ${seal.keyId} is not published`);
  else if (!isSignedBy(key, toAnchorText(seal), Buffer.from(seal.signature, 'hex')))
    report('seal-forged', `its signature by the key ${seal.keyId} is invalid`);
  else return true;
  return false;
}

/** Groups anchors into runs of consecutive numbers with the same key. */
function runsOf(seals: readonly Anchor[]): Anchor[][] {
  const runs: Anchor[][] = [];
  for (const seal of [...seals].sort((left, right) => left.number - right.number)) {
    const last = runs.at(-1)?.at(-1);
    if (last && last.number + 1 === seal.number && last.keyId === seal.keyId) runs.at(-1)!.push(seal);
    else runs.push([seal]);
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
  const finishSeal = (): void => {
    if (leaves.length > 0) roots.set(current, { root: merkleRoot(leaves).toString('hex'), heads: leaves.length });
    leaves = [];
  };
  await client.query('SET LOCAL enable_sort = off');
  const query = 'SELECT seal, stream_id, version, hash FROM phaseline.seal_heads ORDER BY seal, stream_id';
  await copyRows(client, query, 4, ({ buffer, starts, lengths }) => {
    const seal = Number(buffer.readBigInt64BE(starts[0]!));
    if (seal !== current) {
      signal?.throwIfAborted();
      finishSeal();
      current = seal;
    }
    leaves.push(
      computeHeadLeaf({
        streamId: buffer.toString('utf8', starts[1]!, starts[1]! + lengths[1]!),
        version: Number(buffer.readBigInt64BE(starts[2]!)),
        hash: buffer.toString('hex', starts[3]!, starts[3]! + lengths[3]!),
      }),
    );
  });
  finishSeal();
  return roots;
}

/** Reads how many streams and events each anchor adds, computed from its heads and those of earlier anchors. */
async function readTotals(client: pg.ClientBase): Promise<Map<number, Totals>> {
  await client.query('SET LOCAL enable_sort = on');
  const { rows } = await client.query<{ seal: string; streams: string; events: string; backwards: boolean }>(
    `SELECT seal, count(*) FILTER (WHERE before IS NULL) AS streams, sum(version - coalesce(before, 0)) AS events,
            bool_or(before IS NOT NULL AND (version <= before OR seal <= seal_before)) AS backwards
     FROM (SELECT seal, version, lag(version) OVER w AS before, lag(seal) OVER w AS seal_before
           FROM phaseline.seal_heads WINDOW w AS (PARTITION BY stream_id ORDER BY version)) AS h GROUP BY seal`,
  );
  return new Map(
    rows.map(({ seal, streams, events, backwards }) => [
      Number(seal),
      { streams: Number(streams), events: Number(events), backwards },
    ]),
  );
}
