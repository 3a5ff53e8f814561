import type { BinarySign } from './ast.js';

/** Signs that may stand in a chain: `1 < x <= 5`. */
export const comparisons: ReadonlySet<BinarySign> = new Set(['=', '<>', '<', '<=', '>', '>=']);

/** Binary signs, weakest first. At level 3 stands NOT. */
export const levels: readonly (readonly BinarySign[])[] = [
  ['OR'],
  ['XOR'],
  ['AND'],
  [],
  ['<=', '>=', '<>', '=~', '=', '<', '>', 'IN', 'STARTS WITH', 'ENDS WITH', 'CONTAINS'],
  ['+', '-'],
  ['*', '/', '%'],
  ['^'],
];
