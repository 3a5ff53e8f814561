import { CypherError } from './cypher-error.js';
import { describe, GraphEdge, GraphNode, GraphPath, isList, isMap, type Value } from './values.js';

type Implementation = (...values: Value[]) => Value;

/** Wraps a function so that it returns null if any argument is null. */
const nullSafe =
  (work: Implementation): Implementation =>
  (...values) =>
    values.some((value) => value === null) ? null : work(...values);

const textFunction = (work: (value: string) => Value): Implementation =>
  nullSafe((value) => work(asText(value ?? null)));
const numberFunction = (work: (value: number) => number): Implementation =>
  nullSafe((value) => work(asNumber(value ?? null)));

const FUNCTIONS: Readonly<Record<string, Implementation>> = {
  coalesce: (...values) => values.find((value) => value !== null) ?? null,
  labels: nullSafe((value) => (value instanceof GraphNode ? value.labels : failForValue('labels', value))),
  type: nullSafe((value) => (value instanceof GraphEdge ? value.type : failForValue('type', value))),
  id: nullSafe((value) => (isElement(value) ? value.id : failForValue('id', value))),
  elementid: nullSafe((value) => (isElement(value) ? String(value.id) : failForValue('elementId', value))),
  properties: nullSafe((value) =>
    isElement(value) ? value.properties : isMap(value ?? null) ? value! : failForValue('properties', value),
  ),
  keys: nullSafe((value) =>
    isElement(value)
      ? Object.keys(value.properties)
      : isMap(value ?? null)
        ? Object.keys(value as object)
        : failForValue('keys', value),
  ),
  nodes: nullSafe((value) => (value instanceof GraphPath ? value.nodes : failForValue('nodes', value))),
  relationships: nullSafe((value) => (value instanceof GraphPath ? value.edges : failForValue('relationships', value))),
  length: nullSafe((value) => (value instanceof GraphPath ? value.edges.length : computeSize(value ?? null))),
  size: nullSafe((value) => computeSize(value ?? null)),
  head: nullSafe((value) => asList(value)[0] ?? null),
  last: nullSafe((value) => asList(value).at(-1) ?? null),
  tail: nullSafe((value) => asList(value).slice(1)),
  reverse: nullSafe((value) =>
    typeof value === 'string' ? [...value].reverse().join('') : asList(value).toReversed(),
  ),
  range: nullSafe((from, to, step) =>
    createRange(asNumber(from!), asNumber(to!), step === undefined ? 1 : asNumber(step)),
  ),
  tolower: textFunction((value) => value.toLowerCase()),
  toupper: textFunction((value) => value.toUpperCase()),
  trim: textFunction((value) => value.trim()),
  ltrim: textFunction((value) => value.trimStart()),
  rtrim: textFunction((value) => value.trimEnd()),
  split: nullSafe((value, by) => asText(value!).split(asText(by!))),
  replace: nullSafe((value, from, to) => asText(value!).replaceAll(asText(from!), () => asText(to!))),
  substring: nullSafe((value, from, length) => {
    const start = asNumber(from!);
    return asText(value!).slice(start, length === undefined ? undefined : start + asNumber(length));
  }),
  left: nullSafe((value, length) => asText(value!).slice(0, asNumber(length!))),
  right: nullSafe((value, length) => (asNumber(length!) === 0 ? '' : asText(value!).slice(-asNumber(length!)))),
  tostring: nullSafe((value) => (typeof value === 'object' ? failForValue('toString', value) : String(value))),
  tointeger: nullSafe((value) => toNumber(value!, Math.trunc)),
  tofloat: nullSafe((value) => toNumber(value!, (n) => n)),
  toboolean: nullSafe((value) =>
    typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : null,
  ),
  abs: numberFunction(Math.abs),
  ceil: numberFunction(Math.ceil),
  floor: numberFunction(Math.floor),
  sqrt: numberFunction(Math.sqrt),
  sign: numberFunction(Math.sign),
  round: nullSafe((value, digits) => {
    const factor = 10 ** (digits === undefined ? 0 : asNumber(digits));
    return Math.round(asNumber(value!) * factor) / factor;
  }),
};

export const functionNames: readonly string[] = Object.keys(FUNCTIONS);

export function isFunction(name: string): boolean {
  return Object.hasOwn(FUNCTIONS, name);
}

export function callFunction(name: string, values: Value[]): Value {
  const work = FUNCTIONS[name];
  if (!work) throw new CypherError('unsupported', `The function ${name}() is not supported by this graph.`);
  if (values.length === 0) throw new CypherError('syntax', `${name}() requires an argument.`);
  return work(...values);
}

const MAX_RANGE_LENGTH = 100_000;

function createRange(from: number, to: number, step: number): Value {
  const count = Math.floor((to - from) / step) + 1;
  if (!Number.isFinite(count) || count > MAX_RANGE_LENGTH)
    throw new CypherError('too_broad', `range() returns at most ${MAX_RANGE_LENGTH} numbers.`);
  return Array.from({ length: Math.max(0, count) }, (_, i) => from + i * step);
}

function isElement(value: Value | undefined): value is GraphNode | GraphEdge {
  return value instanceof GraphNode || value instanceof GraphEdge;
}

function computeSize(value: Value): number {
  return typeof value === 'string' ? value.length : asList(value).length;
}

function asList(value: Value | undefined): readonly Value[] {
  return isList(value ?? null) ? (value as readonly Value[]) : failForValue('this function', value);
}

function asText(value: Value): string {
  return typeof value === 'string' ? value : failForValue('a function of texts', value);
}

function asNumber(value: Value): number {
  return typeof value === 'number' ? value : failForValue('a function of numbers', value);
}

function toNumber(value: Value, shape: (value: number) => number): Value {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const result = typeof value === 'number' ? value : value.trim() === '' ? Number.NaN : Number(value);
  return Number.isFinite(result) ? shape(result) : null;
}

function failForValue(name: string, value: Value | undefined): never {
  throw new CypherError('bad_value', `${name} cannot be applied to ${describe(value ?? null)}.`);
}
