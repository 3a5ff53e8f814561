import { CypherError } from './cypher-error.js';
import { describe, GraphEdge, GraphNode, GraphPath, isList, isMap, type Value } from './values.js';

type Implementation = (...values: Value[]) => Value;

/** Null in, null out; that is what all but `coalesce` and the graph functions do. */
const strict =
  (work: Implementation): Implementation =>
  (...values) =>
    values.some((value) => value === null) ? null : work(...values);

const text = (work: (value: string) => Value): Implementation => strict((value) => work(asText(value ?? null)));
const number = (work: (value: number) => number): Implementation => strict((value) => work(asNumber(value ?? null)));

const functions: Readonly<Record<string, Implementation>> = {
  coalesce: (...values) => values.find((value) => value !== null) ?? null,
  labels: strict((value) => (value instanceof GraphNode ? value.labels : unexpected('labels', value))),
  type: strict((value) => (value instanceof GraphEdge ? value.type : unexpected('type', value))),
  id: strict((value) => (isElement(value) ? value.id : unexpected('id', value))),
  elementid: strict((value) => (isElement(value) ? String(value.id) : unexpected('elementId', value))),
  properties: strict((value) =>
    isElement(value) ? value.properties : isMap(value ?? null) ? value! : unexpected('properties', value),
  ),
  keys: strict((value) =>
    isElement(value)
      ? Object.keys(value.properties)
      : isMap(value ?? null)
        ? Object.keys(value as object)
        : unexpected('keys', value),
  ),
  nodes: strict((value) => (value instanceof GraphPath ? value.nodes : unexpected('nodes', value))),
  relationships: strict((value) => (value instanceof GraphPath ? value.edges : unexpected('relationships', value))),
  length: strict((value) => (value instanceof GraphPath ? value.edges.length : sizeOf(value ?? null))),
  size: strict((value) => sizeOf(value ?? null)),
  head: strict((value) => listOf(value)[0] ?? null),
  last: strict((value) => listOf(value).at(-1) ?? null),
  tail: strict((value) => listOf(value).slice(1)),
  reverse: strict((value) => (typeof value === 'string' ? [...value].reverse().join('') : listOf(value).toReversed())),
  range: strict((from, to, step) => range(asNumber(from!), asNumber(to!), step === undefined ? 1 : asNumber(step))),
  tolower: text((value) => value.toLowerCase()),
  toupper: text((value) => value.toUpperCase()),
  trim: text((value) => value.trim()),
  ltrim: text((value) => value.trimStart()),
  rtrim: text((value) => value.trimEnd()),
  split: strict((value, by) => asText(value!).split(asText(by!))),
  replace: strict((value, from, to) => asText(value!).replaceAll(asText(from!), () => asText(to!))),
  substring: strict((value, from, length) => {
    const start = asNumber(from!);
    return asText(value!).slice(start, length === undefined ? undefined : start + asNumber(length));
  }),
  left: strict((value, length) => asText(value!).slice(0, asNumber(length!))),
  right: strict((value, length) => (asNumber(length!) === 0 ? '' : asText(value!).slice(-asNumber(length!)))),
  tostring: strict((value) => (typeof value === 'object' ? unexpected('toString', value) : String(value))),
  tointeger: strict((value) => toNumber(value!, Math.trunc)),
  tofloat: strict((value) => toNumber(value!, (n) => n)),
  toboolean: strict((value) =>
    typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : null,
  ),
  abs: number(Math.abs),
  ceil: number(Math.ceil),
  floor: number(Math.floor),
  sqrt: number(Math.sqrt),
  sign: number(Math.sign),
  round: strict((value, digits) => {
    const factor = 10 ** (digits === undefined ? 0 : asNumber(digits));
    return Math.round(asNumber(value!) * factor) / factor;
  }),
};

export function isFunction(name: string): boolean {
  return Object.hasOwn(functions, name);
}

export function callFunction(name: string, values: Value[]): Value {
  const work = functions[name];
  if (!work) throw new CypherError('unsupported', `The function ${name}() is not supported by this graph.`);
  if (values.length === 0) throw new CypherError('syntax', `${name}() wants an argument.`);
  return work(...values);
}

const MAX_RANGE = 100_000;

function range(from: number, to: number, step: number): Value {
  const count = Math.floor((to - from) / step) + 1;
  if (!Number.isFinite(count) || count > MAX_RANGE)
    throw new CypherError('too_broad', `range() makes at most ${MAX_RANGE} numbers.`);
  return Array.from({ length: Math.max(0, count) }, (_, i) => from + i * step);
}

function isElement(value: Value | undefined): value is GraphNode | GraphEdge {
  return value instanceof GraphNode || value instanceof GraphEdge;
}

function sizeOf(value: Value): number {
  return typeof value === 'string' ? value.length : listOf(value).length;
}

function listOf(value: Value | undefined): readonly Value[] {
  return isList(value ?? null) ? (value as readonly Value[]) : unexpected('this function', value);
}

function asText(value: Value): string {
  return typeof value === 'string' ? value : unexpected('a function of texts', value);
}

function asNumber(value: Value): number {
  return typeof value === 'number' ? value : unexpected('a function of numbers', value);
}

function toNumber(value: Value, shape: (value: number) => number): Value {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const result = typeof value === 'number' ? value : value.trim() === '' ? Number.NaN : Number(value);
  return Number.isFinite(result) ? shape(result) : null;
}

function unexpected(name: string, value: Value | undefined): never {
  throw new CypherError('bad_value', `${name} cannot be applied to ${describe(value ?? null)}.`);
}
