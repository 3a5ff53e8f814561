import type { FunctionCall } from './ast.js';
import { CypherError } from './cypher-error.js';
import { describe, toKey, compareTotally, type Value } from './values.js';

export const AGGREGATE_NAMES: ReadonlySet<string> = new Set(['count', 'collect', 'sum', 'avg', 'min', 'max']);

export function isAggregate(name: string): boolean {
  return AGGREGATE_NAMES.has(name);
}

/** Computes an aggregate over the values of a group. `rows` is the number of rows of the group. Null values are ignored. */
export function aggregate(call: FunctionCall, all: readonly Value[], rows: number): Value {
  if (call.arguments.length === 0) return rows;
  let values = all.filter((value) => value !== null);
  if (call.distinct) values = [...new Map(values.map((value) => [toKey(value), value])).values()];
  switch (call.name) {
    case 'count':
      return values.length;
    case 'collect':
      return values;
    case 'sum':
      return requireNumbers(call, values).reduce((sum, value) => sum + value, 0);
    case 'avg':
      return values.length === 0
        ? null
        : requireNumbers(call, values).reduce((sum, value) => sum + value, 0) / values.length;
    default: {
      const sorted = values.toSorted(compareTotally);
      return (call.name === 'min' ? sorted[0] : sorted.at(-1)) ?? null;
    }
  }
}

function requireNumbers(call: FunctionCall, values: readonly Value[]): number[] {
  return values.map((value) => {
    if (typeof value === 'number') return value;
    throw new CypherError('bad_value', `${call.name}() requires numbers, but found ${describe(value)}.`);
  });
}
