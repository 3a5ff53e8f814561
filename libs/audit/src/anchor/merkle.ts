import { hash } from 'node:crypto';

const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

/** Hashes a leaf. The leading byte distinguishes leaves from nodes (RFC 6962). */
export function leafHash(text: string): Buffer {
  return hash('sha256', Buffer.concat([LEAF, Buffer.from(text)]), 'buffer');
}

/** Computes the Merkle root of leaf hashes. The last node of a level with an odd number of nodes moves up unchanged. */
export function merkleRoot(leaves: readonly Buffer[]): Buffer {
  let level = leaves;
  if (level.length === 0) throw new Error('a Merkle root needs at least one leaf');
  while (level.length > 1) level = levelAbove(level);
  return level[0]!;
}

function levelAbove(level: readonly Buffer[]): Buffer[] {
  const above: Buffer[] = [];
  for (let index = 0; index + 1 < level.length; index += 2)
    above.push(hash('sha256', Buffer.concat([NODE, level[index]!, level[index + 1]!]), 'buffer'));
  if (level.length % 2 === 1) above.push(level.at(-1)!);
  return above;
}
