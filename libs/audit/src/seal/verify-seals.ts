import { copyRows, mapDatabaseError } from '@phaseline/event-store';
import type pg from 'pg';
import { isSignedBy, type PublicKey } from '../key/audit-key.js';
import { merkleRoot } from './merkle.js';
import { readKeys, readSeals } from './read-seals.js';
import { headLeaf, SEAL_START, sealHash, sealText, type Seal } from './seal.js';

/**
 * - `seal-missing`: seals are not there, or one that a receipt holds is not.
 * - `seal-altered`: a seal does not fit its hash, the seal before it, its heads or the counts of those.
 * - `seal-forged`: the signature is not that of its key.
 * - `seal-other-key`: signed validly, and not by a key that was given: either another key was given, or the seals were made again.
 * - `receipt-mismatch`: the log has another seal of that number than the receipt.
 */
export type SealProblemKind = 'seal-missing' | 'seal-altered' | 'seal-forged' | 'seal-other-key' | 'receipt-mismatch';

export interface SealProblem {
  readonly kind: SealProblemKind;
  readonly seal: number;
  readonly detail: string;
}

export interface SealReport {
  readonly seals: number;
  readonly last: Seal | undefined;
  /** The keys that seals are signed with. */
  readonly keyIds: readonly string[];
  readonly problems: readonly SealProblem[];
}

export interface VerifySealsOptions {
  /** Seals that were kept elsewhere. */
  readonly receipts?: readonly Seal[];
  /** Ids of the keys that may have signed; default: any, and the caller compares `keyIds` with what he knows. */
  readonly trustedKeyIds?: readonly string[];
  readonly signal?: AbortSignal;
}

const PAGE = 1_000;

/**
 * Checks the seals by themselves: numbers without gaps, each naming the hash of the one before, its own hash and signature, the root
 * over its heads, and the counts. That the events are what the seals say is the business of `verifyChain`.
 * @throws DatabaseUnreachable
 */
export async function verifySeals(pool: pg.Pool, options: VerifySealsOptions = {}): Promise<SealReport> {
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

async function verify(client: pg.PoolClient, options: VerifySealsOptions): Promise<SealReport> {
  const problems: SealProblem[] = [];
  const keys = new Map((await readKeys(client)).map((key) => [key.keyId, key]));
  const roots = await rootsOf(client, options.signal);
  const totals = await totalsOf(client);
  const receipts = new Map<number, Seal[]>();
  for (const seal of options.receipts ?? []) receipts.set(seal.number, [...(receipts.get(seal.number) ?? []), seal]);
  const otherKey: Seal[] = [];
  const used = new Set<string>();
  const before = { number: 0, hash: SEAL_START, streams: 0, events: 0, horizon: -1n };
  let last: Seal | undefined;
  let count = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    const page = await readSeals(client, last?.number ?? 0, PAGE);
    for (const seal of page) {
      const report = (kind: SealProblemKind, detail: string): void =>
        void problems.push({ kind, seal: seal.number, detail });
      if (seal.number !== before.number + 1) {
        const detail = `the seals ${before.number + 1} to ${seal.number - 1} are not there`;
        problems.push({ kind: 'seal-missing', seal: before.number + 1, detail });
      } else if (seal.previousHash !== before.hash) {
        report('seal-altered', 'it does not name the hash of the seal before it');
      }
      const added = totals.get(seal.number) ?? { streams: 0, events: 0, backwards: false };
      checkStatement(seal, { root: roots.get(seal.number), added, before, report });
      if (checkSignature(seal, keys, report) && options.trustedKeyIds?.includes(seal.keyId) === false)
        otherKey.push(seal);
      const receipt = receipts.get(seal.number)?.find(({ hash }) => hash !== seal.hash);
      if (receipt)
        report(
          'receipt-mismatch',
          `the receipt of ${receipt.sealedAt} has the hash ${receipt.hash}, and the log ${seal.hash}`,
        );
      receipts.delete(seal.number);
      roots.delete(seal.number);
      used.add(seal.keyId);
      Object.assign(before, { ...seal, horizon: BigInt(seal.horizon) });
      last = seal;
      count += 1;
    }
    if (page.length < PAGE) break;
  }
  // Whoever checks the chain takes heads at their word, so none may be there that no seal covers.
  for (const [seal, { heads }] of roots)
    problems.push({ kind: 'seal-missing', seal, detail: `${heads} heads are stored for it, and it is not there` });
  // One sentence for each run of seals, which may be thousands.
  for (const run of runsOf([...receipts.values()].map(([receipt]) => receipt!)))
    problems.push({
      kind: 'seal-missing',
      seal: run[0]!.number,
      detail:
        run.length === 1
          ? `there is a receipt of ${run[0]!.sealedAt} for it`
          : `there are receipts for it and for all up to seal ${run.at(-1)!.number}, of ${run[0]!.sealedAt} to ${run.at(-1)!.sealedAt}`,
    });
  for (const run of runsOf(otherKey))
    problems.push({
      kind: 'seal-other-key',
      seal: run[0]!.number,
      detail:
        `${run.length === 1 ? 'it is' : `it and all up to seal ${run.at(-1)!.number} are`} signed by the key ${run[0]!.keyId}, which was not given: ` +
        'either the key given is another one than that of the sealing service, or the seals were made again with another key',
    });
  return { seals: count, last, keyIds: [...used], problems };
}

interface Totals {
  readonly streams: number;
  readonly events: number;
  readonly backwards: boolean;
}

function checkStatement(
  seal: Seal,
  parts: {
    readonly root: { readonly root: string; readonly heads: number } | undefined;
    readonly added: Totals;
    readonly before: { readonly streams: number; readonly events: number; readonly horizon: bigint };
    readonly report: (kind: SealProblemKind, detail: string) => void;
  },
): void {
  const { root, added, before, report } = parts;
  if (sealHash(seal) !== seal.hash) report('seal-altered', 'its hash is not that of what it says');
  if (root?.root !== seal.root || root.heads !== seal.heads)
    report('seal-altered', `its root is not that of the ${root?.heads ?? 0} heads that are stored for it`);
  else if (
    seal.streams !== before.streams + added.streams ||
    seal.events !== before.events + added.events ||
    added.backwards ||
    BigInt(seal.horizon) <= before.horizon
  )
    report('seal-altered', 'its counts do not follow from the seal before it and its heads');
}

function checkSignature(
  seal: Seal,
  keys: ReadonlyMap<string, PublicKey>,
  report: (kind: SealProblemKind, detail: string) => void,
): boolean {
  const key = keys.get(seal.keyId);
  if (!key) report('seal-forged', `its key ${seal.keyId} is not published`);
  else if (!isSignedBy(key, sealText(seal), Buffer.from(seal.signature, 'hex')))
    report('seal-forged', `the signature is not that of the key ${seal.keyId}`);
  else return true;
  return false;
}

/** The seals in lists of one key each, whose numbers follow one another. */
function runsOf(seals: readonly Seal[]): Seal[][] {
  const runs: Seal[][] = [];
  for (const seal of [...seals].sort((left, right) => left.number - right.number)) {
    const last = runs.at(-1)?.at(-1);
    if (last && last.number + 1 === seal.number && last.keyId === seal.keyId) runs.at(-1)!.push(seal);
    else runs.push([seal]);
  }
  return runs;
}

/** The root over the stored heads of each seal, in one pass. */
async function rootsOf(
  client: pg.ClientBase,
  signal: AbortSignal | undefined,
): Promise<Map<number, { root: string; heads: number }>> {
  const roots = new Map<number, { root: string; heads: number }>();
  let current = 0;
  let leaves: Buffer[] = [];
  const end = (): void => {
    if (leaves.length > 0) roots.set(current, { root: merkleRoot(leaves).toString('hex'), heads: leaves.length });
    leaves = [];
  };
  await client.query('SET LOCAL enable_sort = off');
  const query = 'SELECT seal, stream_id, version, hash FROM phaseline.seal_heads ORDER BY seal, stream_id';
  await copyRows(client, query, 4, ({ buffer, starts, lengths }) => {
    const seal = Number(buffer.readBigInt64BE(starts[0]!));
    if (seal !== current) {
      signal?.throwIfAborted();
      end();
      current = seal;
    }
    leaves.push(
      headLeaf({
        streamId: buffer.toString('utf8', starts[1]!, starts[1]! + lengths[1]!),
        version: Number(buffer.readBigInt64BE(starts[2]!)),
        hash: buffer.toString('hex', starts[3]!, starts[3]! + lengths[3]!),
      }),
    );
  });
  end();
  return roots;
}

/** What each seal adds to the counts, from its heads and those of earlier seals. */
async function totalsOf(client: pg.ClientBase): Promise<Map<number, Totals>> {
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
