import { copyRows } from '@phaseline/event-store';
import type pg from 'pg';
import { readAnchors } from '../anchor/read-anchors.js';
import { computeHeadLeaf } from '../anchor/anchor.js';
import type { FileWriter } from './file-writer.js';

const SEALS_PER_PAGE = 1_000;

/** Writes all anchors, one per line, and returns their number. An export of one job needs all of them too: anchors form a chain. */
export async function writeAnchors(client: pg.ClientBase, file: FileWriter): Promise<number> {
  let count = 0;
  for (let after = 0; ;) {
    const seals = await readAnchors(client, after, SEALS_PER_PAGE);
    for (const seal of seals) file.write(`${JSON.stringify(seal)}\n`);
    count += seals.length;
    if (seals.length < SEALS_PER_PAGE) return count;
    after = seals.at(-1)!.number;
  }
}

/**
 * Writes the heads of each anchor in the order of its Merkle leaves, and returns their number. For streams of other jobs it writes only
 * the leaf hash: enough to recompute the root without revealing anything. Anchors without any of the exported streams are omitted.
 * @param where SQL condition for the exported streams; empty for the whole log
 */
export async function writeAnchoredHeads(client: pg.ClientBase, file: FileWriter, where: string): Promise<number> {
  const exported = `(SELECT stream_id FROM phaseline.streams${where})`;
  const isPartial = where !== '';
  const query = `SELECT seal, stream_id, version, hash, ${isPartial ? `stream_id IN ${exported}` : 'true'} FROM phaseline.seal_heads
    ${isPartial ? `WHERE seal IN (SELECT seal FROM phaseline.seal_heads WHERE stream_id IN ${exported})` : ''}
    ORDER BY seal, stream_id`;
  let heads = 0;
  await copyRows(client, query, 5, ({ buffer, starts, lengths }) => {
    const seal = Number(buffer.readBigInt64BE(starts[0]!));
    const stream = buffer.toString('utf8', starts[1]!, starts[1]! + lengths[1]!);
    const version = Number(buffer.readBigInt64BE(starts[2]!));
    const hash = buffer.toString('hex', starts[3]!, starts[3]! + lengths[3]!);
    const line = buffer[starts[4]!]
      ? { seal, stream, version, hash }
      : { seal, leaf: computeHeadLeaf({ streamId: stream, version, hash }).toString('hex') };
    file.write(`${JSON.stringify(line)}\n`);
    heads += 1;
  });
  return heads;
}
