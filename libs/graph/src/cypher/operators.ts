import type { BinarySign } from './ast.js';

/** Comparison operators, which may be chained: `1 < x <= 5`. */
export const COMPARISON_OPERATORS: ReadonlySet<BinarySign> = new Set(['=', '<>', '<', '<=', '>', '>=']);

/** Binary operators by precedence, weakest first. Level 3 is NOT. */
export const OPERATORS_BY_PRECEDENCE: readonly (readonly BinarySign[])[] = [
  ['OR'],
  ['XOR'],
  ['AND'],
  [],
  ['<=', '>=', '<>', '=~', '=', '<', '>', 'IN', 'STARTS WITH', 'ENDS WITH', 'CONTAINS'],
  ['+', '-'],
  ['*', '/', '%'],
  ['^'],
];
