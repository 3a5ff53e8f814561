import { copyRows } from '@phaseline/event-store';
import type pg from 'pg';
import { readSeals } from '../seal/read-seals.js';
import { headLeaf } from '../seal/seal.js';
import type { FileWriter } from './file-writer.js';

const PAGE = 1_000;

/** All seals, a line each; their chain has to be whole even for one job. */
export async function writeSeals(client: pg.ClientBase, file: FileWriter): Promise<number> {
  let count = 0;
  for (let after = 0; ;) {
    const seals = await readSeals(client, after, PAGE);
    for (const seal of seals) file.write(`${JSON.stringify(seal)}\n`);
    count += seals.length;
    if (seals.length < PAGE) return count;
    after = seals.at(-1)!.number;
  }
}

/**
 * The heads of the seals, in the order of their leaves. Of the streams of other jobs only the hash of the leaf is given: enough to
 * recompute the root, and it tells nothing of them. Seals that hold none of the streams are left out.
 * @param where empty for the whole log
 */
export async function writeSealedHeads(client: pg.ClientBase, file: FileWriter, where: string): Promise<number> {
  const own = `(SELECT stream_id FROM phaseline.streams${where})`;
  const some = where !== '';
  const query = `SELECT seal, stream_id, version, hash, ${some ? `stream_id IN ${own}` : 'true'} FROM phaseline.seal_heads
    ${some ? `WHERE seal IN (SELECT seal FROM phaseline.seal_heads WHERE stream_id IN ${own})` : ''}
    ORDER BY seal, stream_id`;
  let heads = 0;
  await copyRows(client, query, 5, ({ buffer, starts, lengths }) => {
    const seal = Number(buffer.readBigInt64BE(starts[0]!));
    const stream = buffer.toString('utf8', starts[1]!, starts[1]! + lengths[1]!);
    const version = Number(buffer.readBigInt64BE(starts[2]!));
    const hash = buffer.toString('hex', starts[3]!, starts[3]! + lengths[3]!);
    const line = buffer[starts[4]!]
      ? { seal, stream, version, hash }
      : { seal, leaf: headLeaf({ streamId: stream, version, hash }).toString('hex') };
    file.write(`${JSON.stringify(line)}\n`);
    heads += 1;
  });
  return heads;
}
