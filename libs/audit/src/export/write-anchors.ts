import { copyRows } from '@phaseline/event-store';
import type pg from 'pg';
import { readAnchors } from '../anchor/read-anchors.js';
import { computeHeadLeaf } from '../anchor/anchor.js';
import type { FileWriter } from './file-writer.js';

const ANCHORS_PER_PAGE = 1_000;

/** Writes all anchors, one per line, and returns their number. An export of one job needs all of them too: anchors form a chain. */
export async function writeAnchors(client: pg.ClientBase, file: FileWriter): Promise<number> {
  let count = 0;
  for (let after = 0; ;) {
    const anchors = await readAnchors(client, after, ANCHORS_PER_PAGE);
    for (const anchor of anchors) file.write(`${JSON.stringify(anchor)}\n`);
    count += anchors.length;
    if (anchors.length < ANCHORS_PER_PAGE) return count;
    after = anchors.at(-1)!.number;
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
  const query = `SELECT anchor, stream_id, version, hash, ${isPartial ? `stream_id IN ${exported}` : 'true'} FROM phaseline.anchored_heads
    ${isPartial ? `WHERE anchor IN (SELECT anchor FROM phaseline.anchored_heads WHERE stream_id IN ${exported})` : ''}
    ORDER BY anchor, stream_id`;
  let heads = 0;
  await copyRows(client, query, 5, ({ buffer, starts, lengths }) => {
    const anchor = Number(buffer.readBigInt64BE(starts[0]!));
    const stream = buffer.toString('utf8', starts[1]!, starts[1]! + lengths[1]!);
    const version = Number(buffer.readBigInt64BE(starts[2]!));
    const hash = buffer.toString('hex', starts[3]!, starts[3]! + lengths[3]!);
    const line = buffer[starts[4]!]
      ? { anchor, stream, version, hash }
      : { anchor, leaf: computeHeadLeaf({ streamId: stream, version, hash }).toString('hex') };
    file.write(`${JSON.stringify(line)}\n`);
    heads += 1;
  });
  return heads;
}
