import { hash } from 'node:crypto';

const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

/** The hash of a leaf; the byte in front keeps leaves and nodes apart (RFC 6962). */
export function leafHash(text: string): Buffer {
  return hash('sha256', Buffer.concat([LEAF, Buffer.from(text)]), 'buffer');
}

/** The root over leaf hashes: pairs, level by level; the last one of an odd level goes up as it is. */
export function merkleRoot(leaves: readonly Buffer[]): Buffer {
  let level = leaves;
  if (level.length === 0) throw new Error('there is no root over nothing');
  while (level.length > 1) level = levelAbove(level);
  return level[0]!;
}

/** All levels, leaves first: for many paths through one tree. */
export function merkleLevels(leaves: readonly Buffer[]): (readonly Buffer[])[] {
  const levels = [leaves];
  while (levels.at(-1)!.length > 1) levels.push(levelAbove(levels.at(-1)!));
  return levels;
}

/** The neighbours that lead from a leaf to the root. Where a level has none, the path has nothing either. */
export function merklePath(levels: readonly (readonly Buffer[])[], index: number): Buffer[] {
  const path: Buffer[] = [];
  let at = index;
  for (const level of levels.slice(0, -1)) {
    const neighbour = level[at ^ 1];
    if (neighbour) path.push(neighbour);
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
