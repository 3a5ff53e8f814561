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

/** Computes all levels of the tree, leaves first. Use it to derive many paths from one tree. */
export function merkleLevels(leaves: readonly Buffer[]): (readonly Buffer[])[] {
  const levels = [leaves];
  while (levels.at(-1)!.length > 1) levels.push(levelAbove(levels.at(-1)!));
  return levels;
}

/** Returns the sibling hashes from a leaf to the root. Levels where the node has no sibling contribute nothing. */
export function merklePath(levels: readonly (readonly Buffer[])[], index: number): Buffer[] {
  const path: Buffer[] = [];
  let at = index;
  for (const level of levels.slice(0, -1)) {
    const sibling = level[at ^ 1];
    if (sibling) path.push(sibling);
    at >>= 1;
  }
  return path;
}

function levelAbove(level: readonly Buffer[]): Buffer[] {
  const above: Buffer[] = [];
  for (let index = 0; index + 1 < level.length; index += 2)
    above.push(hash('sha256', Buffer.concat([NODE, level[index]!, level[index + 1]!]), 'buffer'));
  if (level.length % 2 === 1) above.push(level.at(-1)!);
  return above;
}
