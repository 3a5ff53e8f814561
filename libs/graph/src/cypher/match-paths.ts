import type { EdgePattern, Expression, NodePattern, PathPattern, Scoped } from './ast.js';
import { CypherError } from './cypher-error.js';
import { evaluate, type Row } from './evaluate.js';
import type { GraphStore } from './graph-store.js';
import { equals, GraphEdge, GraphNode, GraphPath, type Properties, type Value, type ValueMap } from './values.js';

export interface MatchContext {
  readonly store: GraphStore;
  readonly parameters: ValueMap;
  /** Maximum rows, nodes or edges that one step may produce. */
  readonly limit: number;
  /** Throws if the query was aborted or its deadline has passed. */
  check(): void;
}

/** A row with a partially matched pattern. An edge is used at most once per MATCH. */
interface PartialMatch {
  /** Index of the input row. */
  readonly origin: number;
  readonly row: Row;
  readonly used: readonly number[];
  readonly nodes: readonly (GraphNode | undefined)[];
  readonly edges: readonly (readonly GraphEdge[])[];
}

export interface Match {
  readonly origin: number;
  readonly row: Row;
}

/** Finds all matches of the patterns for each row. `where` is used only to look up nodes by its equality conditions. */
export async function matchPaths(
  context: MatchContext,
  rows: readonly Row[],
  paths: readonly PathPattern[],
  where: Scoped | undefined,
): Promise<readonly Match[]> {
  const equalities = where ? collectEqualities(where.expression) : [];
  let partials: PartialMatch[] = rows.map((row, origin) => ({ origin, row, used: [], nodes: [], edges: [] }));
  for (const path of paths) {
    partials = await matchPath(context, partials, path, equalities);
    partials = partials.map((partial) => ({ ...partial, nodes: [], edges: [] }));
  }
  return partials;
}

async function matchPath(
  context: MatchContext,
  from: readonly PartialMatch[],
  path: PathPattern,
  equalities: readonly Equality[],
): Promise<PartialMatch[]> {
  if (from.length === 0) return [];
  const start = selectStart(path, from[0]?.row ?? {}, equalities);
  let partials = await placeStart(context, from, path, start, equalities);
  for (let i = start; i < path.edges.length; i += 1) partials = await expand(context, partials, path, i, 1);
  for (let i = start - 1; i >= 0; i -= 1) partials = await expand(context, partials, path, i, -1);
  const { variable } = path;
  if (variable === undefined) return partials;
  return Promise.all(
    partials.map(async (partial) => ({
      ...partial,
      row: { ...partial.row, [variable]: await buildPath(context, partial) },
    })),
  );
}

/** Selects the node to start from: a bound one, otherwise the most selective one. */
function selectStart(path: PathPattern, row: Row, equalities: readonly Equality[]): number {
  const scores = path.nodes.map(({ variable, labels, properties }): number => {
    if (variable !== undefined && Object.hasOwn(row, variable)) return 3;
    if (properties.length > 0 || equalities.some((equality) => equality.variable === variable)) return 2;
    return labels.length > 0 ? 1 : 0;
  });
  return scores.indexOf(Math.max(...scores));
}

async function placeStart(
  context: MatchContext,
  from: readonly PartialMatch[],
  { nodes }: PathPattern,
  start: number,
  equalities: readonly Equality[],
): Promise<PartialMatch[]> {
  const pattern = nodes[start]!;
  const found: PartialMatch[] = [];
  // Most rows look up the same nodes, so lookups are cached.
  const candidatesByKey = new Map<string, readonly GraphNode[]>();
  for (const partial of from) {
    context.check();
    const properties = evaluateProperties(context, pattern.properties, partial.row);
    const bound = pattern.variable === undefined ? undefined : partial.row[pattern.variable];
    if (bound !== undefined) {
      if (bound instanceof GraphNode && matchesPattern(bound, pattern, properties))
        found.push(bindNode(partial, start, bound, pattern));
      continue;
    }
    if (Object.values(properties).includes(null)) continue;
    const wanted = { ...readLookupValues(context, equalities, pattern.variable, partial.row), ...properties };
    const key = JSON.stringify(wanted);
    const candidates =
      candidatesByKey.get(key) ??
      (await context.store.findNodes({ labels: pattern.labels, properties: wanted }, context.limit + 1));
    candidatesByKey.set(key, candidates);
    for (const node of candidates)
      if (matchesPattern(node, pattern, wanted)) found.push(bindNode(partial, start, node, pattern));
    requireWithinLimit(context, found);
  }
  return found;
}

function bindNode(partial: PartialMatch, at: number, node: GraphNode, { variable }: NodePattern): PartialMatch {
  const nodes = [...partial.nodes];
  nodes[at] = node;
  return { ...partial, nodes, row: variable === undefined ? partial.row : { ...partial.row, [variable]: node } };
}

/** Follows edge `i` of the path: to the right (1) from its left node, or to the left (-1) from its right node. */
async function expand(
  context: MatchContext,
  partials: readonly PartialMatch[],
  path: PathPattern,
  i: number,
  way: 1 | -1,
): Promise<PartialMatch[]> {
  const edge = path.edges[i]!;
  const [fromAt, toAt] = way === 1 ? [i, i + 1] : [i + 1, i];
  const target = path.nodes[toAt]!;
  const { min, max } = edge.hops ?? { min: 1, max: 1 };
  interface Walk {
    readonly partial: PartialMatch;
    readonly at: number;
    readonly taken: readonly GraphEdge[];
  }
  let front: Walk[] = partials.map((partial) => ({ partial, at: partial.nodes[fromAt]!.id, taken: [] }));
  const ends: Walk[] = min === 0 ? [...front] : [];
  for (let hop = 1; hop <= max && front.length > 0; hop += 1) {
    context.check();
    const byNode = await groupEdgesByNode(
      context,
      front.map(({ at }) => at),
      edge,
      way,
    );
    const next: Walk[] = [];
    for (const walk of front) {
      const wanted = evaluateProperties(context, edge.properties, walk.partial.row);
      for (const { edge: step, to } of byNode.get(walk.at) ?? []) {
        if (walk.partial.used.includes(step.id) || walk.taken.includes(step) || !hasProperties(step.properties, wanted))
          continue;
        next.push({ partial: walk.partial, at: to, taken: [...walk.taken, step] });
      }
      requireWithinLimit(context, next);
    }
    front = next;
    if (hop >= min) ends.push(...next);
    requireWithinLimit(context, ends);
  }
  const nodes = await context.store.getNodes([...new Set(ends.map(({ at }) => at))]);
  const found: PartialMatch[] = [];
  for (const { partial, at, taken } of ends) {
    const node = nodes.get(at);
    const ordered = way === 1 ? taken : taken.toReversed();
    const named = node && bindEdge(partial.row, edge, ordered);
    if (!node || !named) continue;
    const bound = target.variable === undefined ? undefined : named[target.variable];
    if (bound !== undefined && !(bound instanceof GraphNode && bound.id === node.id)) continue;
    if (!matchesPattern(node, target, evaluateProperties(context, target.properties, named))) continue;
    const edges = [...partial.edges];
    edges[i] = ordered;
    const used = [...partial.used, ...taken.map(({ id }) => id)];
    found.push(bindNode({ ...partial, row: named, used, edges }, toAt, node, target));
  }
  return found;
}

/** Binds the edge to its variable. Returns `undefined` if the variable is already bound to another edge. */
function bindEdge(row: Row, { variable, hops }: EdgePattern, taken: readonly GraphEdge[]): Row | undefined {
  if (variable === undefined) return row;
  const value: Value = hops ? taken : (taken[0] ?? null);
  const bound = row[variable];
  if (bound === undefined) return { ...row, [variable]: value };
  return equals(bound, value) === true ? row : undefined;
}

async function groupEdgesByNode(
  context: MatchContext,
  nodes: readonly number[],
  { types, direction }: EdgePattern,
  way: 1 | -1,
): Promise<Map<number, { edge: GraphEdge; to: number }[]>> {
  const storeDirection = way === 1 || direction === 'both' ? direction : direction === 'out' ? 'in' : 'out';
  const ids = new Set(nodes);
  const edges = await context.store.findEdges([...ids], storeDirection, types, context.limit + 1);
  requireWithinLimit(context, edges);
  const byNode = new Map<number, { edge: GraphEdge; to: number }[]>();
  const add = (from: number, edge: GraphEdge, to: number): void => {
    if (ids.has(from)) byNode.set(from, [...(byNode.get(from) ?? []), { edge, to }]);
  };
  for (const edge of edges) {
    if (storeDirection !== 'in') add(edge.from, edge, edge.to);
    // A loop is followed once, not in both directions.
    if (storeDirection === 'in' || (storeDirection === 'both' && edge.from !== edge.to)) add(edge.to, edge, edge.from);
  }
  return byNode;
}

async function buildPath({ store }: MatchContext, { nodes, edges }: PartialMatch): Promise<GraphPath> {
  const first = nodes[0]!;
  const all = edges.flat();
  const known = await store.getNodes([...new Set(all.flatMap(({ from, to }) => [from, to]))]);
  const pathNodes: GraphNode[] = [first];
  for (const edge of all) {
    const here = pathNodes.at(-1)!.id;
    pathNodes.push(known.get(edge.from === here ? edge.to : edge.from) ?? first);
  }
  return new GraphPath(pathNodes, all);
}

function matchesPattern(node: GraphNode, { labels }: NodePattern, properties: Properties): boolean {
  return labels.every((label) => node.labels.includes(label)) && hasProperties(node.properties, properties);
}

function hasProperties(properties: Properties, wanted: Properties): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => Object.hasOwn(properties, name) && equals(properties[name] ?? null, value) === true,
  );
}

export function evaluateProperties(
  { parameters }: Pick<MatchContext, 'parameters'>,
  entries: readonly (readonly [string, Expression])[],
  row: Row,
): Properties {
  return Object.fromEntries(entries.map(([name, of]) => [name, evaluate(of, { row, parameters })]));
}

export function requireWithinLimit({ limit }: Pick<MatchContext, 'limit'>, list: readonly unknown[]): void {
  if (list.length <= limit) return;
  throw new CypherError(
    'too_broad',
    `The query reads more than ${limit} nodes, relationships or rows. Start with a label and a property, or shorten the path.`,
  );
}

interface Equality {
  readonly variable: string;
  readonly name: string;
  readonly value: Expression;
}

/** Collects conditions of the form `variable.name = value` that are joined by AND. */
function collectEqualities(condition: Expression): Equality[] {
  if (condition.kind !== 'binary') return [];
  const { sign, left, right } = condition;
  if (sign === 'AND') return [...collectEqualities(left), ...collectEqualities(right)];
  if (sign !== '=') return [];
  for (const [side, value] of [
    [left, right],
    [right, left],
  ] as const) {
    if (
      side.kind === 'property' &&
      side.of.kind === 'variable' &&
      (value.kind === 'literal' || value.kind === 'parameter')
    )
      return [{ variable: side.of.name, name: side.name, value }];
  }
  return [];
}

function readLookupValues(
  context: MatchContext,
  equalities: readonly Equality[],
  variable: string | undefined,
  row: Row,
): Properties {
  const own = equalities.filter((equality) => variable !== undefined && equality.variable === variable);
  const found = own.map(({ name, value }) => [name, evaluate(value, { row, parameters: context.parameters })] as const);
  // Null is skipped because nothing equals it; the condition itself handles it. Lists are skipped because the lookup tests containment, not equality.
  return Object.fromEntries(found.filter(([, value]) => value !== null && typeof value !== 'object'));
}
