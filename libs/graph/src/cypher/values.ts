import { CypherError } from './cypher-error.js';

type Scalar = string | number | boolean | null;
export type Value = Scalar | GraphNode | GraphEdge | GraphPath | readonly Value[] | ValueMap;
export interface ValueMap {
  readonly [name: string]: Value;
}
/** Properties of a node or edge: scalars and lists of scalars. */
export type Properties = Record<string, Value>;

export class GraphNode {
  constructor(
    readonly id: number,
    public labels: readonly string[],
    public properties: Properties,
  ) {}
}

export class GraphEdge {
  constructor(
    readonly id: number,
    readonly type: string,
    readonly from: number,
    readonly to: number,
    public properties: Properties,
  ) {}
}

export class GraphPath {
  constructor(
    readonly nodes: readonly GraphNode[],
    readonly edges: readonly GraphEdge[],
  ) {}
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isMap(value: Value): value is ValueMap {
  return (
    typeof value === 'object' &&
    value !== null &&
    !isList(value) &&
    !(value instanceof GraphNode || value instanceof GraphEdge || value instanceof GraphPath)
  );
}

/** Whether two values are equal. Returns null (unknown) if a null is involved. */
export function equals(a: Value, b: Value): boolean | null {
  if (a === null || b === null) return null;
  if (isList(a) && isList(b)) {
    if (a.length !== b.length) return false;
    return allEqual(a.map((item, i) => equals(item, b[i] ?? null)));
  }
  if (isMap(a) && isMap(b)) {
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length || names.some((name) => !Object.hasOwn(b, name))) return false;
    return allEqual(names.map((name) => equals(a[name] ?? null, b[name] ?? null)));
  }
  return typeof a === 'object' || typeof b === 'object' ? toKey(a) === toKey(b) : a === b;
}

function allEqual(results: readonly (boolean | null)[]): boolean | null {
  return results.includes(false) ? false : results.includes(null) ? null : true;
}

/** Compares two values: negative, zero or positive. Returns null if they cannot be ordered. */
export function compare(a: Value, b: Value): number | null {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (!isList(a) || !isList(b)) return null;
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const order = compare(a[i] ?? null, b[i] ?? null);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Total order over all values, for ORDER BY: by kind first, null last. */
export function compareTotally(a: Value, b: Value): number {
  const kinds = rank(a) - rank(b);
  if (kinds !== 0) return kinds;
  const order = compare(a, b);
  if (order !== null) return order;
  const [one, other] = [toKey(a), toKey(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function rank(value: Value): number {
  if (value === null) return 9;
  if (typeof value === 'number') return 8;
  if (typeof value === 'boolean') return 7;
  if (typeof value === 'string') return 6;
  if (value instanceof GraphPath) return 5;
  if (isList(value)) return 4;
  if (value instanceof GraphEdge) return 3;
  return value instanceof GraphNode ? 2 : 1;
}

/** Key that two values share exactly if DISTINCT and grouping treat them as equal. */
export function toKey(value: Value): string {
  if (value instanceof GraphNode) return `n${value.id}`;
  if (value instanceof GraphEdge) return `e${value.id}`;
  if (value instanceof GraphPath) return `p${toKey(value.nodes)}${toKey(value.edges)}`;
  if (isList(value)) return `[${value.map(toKey).join(',')}]`;
  if (!isMap(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${toKey(value[name] ?? null)}`).join(',')}}`;
}

/** Returns a condition as true, false or null (unknown). Throws CypherError for any other value. */
export function toCondition(value: Value): boolean | null {
  if (value === null || typeof value === 'boolean') return value;
  throw new CypherError('bad_value', `Expected a condition, but found ${describe(value)}.`);
}

export function describe(value: Value): string {
  if (value === null) return 'null';
  if (value instanceof GraphNode) return 'a node';
  if (value instanceof GraphEdge) return 'a relationship';
  if (value instanceof GraphPath) return 'a path';
  if (isList(value)) return 'a list';
  return isMap(value) ? 'a map' : `the ${typeof value} ${JSON.stringify(value)}`;
}
