import type { Assignment, Clause, EdgePattern, PathPattern, Removal, Scoped } from './ast.js';
import { CypherError } from './cypher-error.js';
import { evaluate, type Row } from './evaluate.js';
import { requireWithinLimit, matchPaths, evaluateProperties, type MatchContext } from './match-paths.js';
import { describe, GraphEdge, GraphNode, GraphPath, isList, isMap, type Properties, type Value } from './values.js';

/** Runs CREATE: for each row, creates a node per unbound node pattern and an edge per edge pattern. */
export async function createPaths(
  context: MatchContext,
  rows: readonly Row[],
  paths: readonly PathPattern[],
): Promise<readonly Row[]> {
  const created: Row[] = [];
  for (const row of rows) {
    context.check();
    let current = row;
    for (const path of paths) current = await createPath(context, current, path);
    created.push(current);
  }
  return created;
}

async function createPath(context: MatchContext, row: Row, path: PathPattern): Promise<Row> {
  let current = row;
  const nodes: GraphNode[] = [];
  for (const pattern of path.nodes) {
    const { variable, labels, properties } = pattern;
    const bound = variable === undefined ? undefined : current[variable];
    if (bound !== undefined) {
      if (!(bound instanceof GraphNode))
        throw new CypherError('bad_value', `${variable} is ${describe(bound)}, not a node.`);
      if (path.edges.length === 0 || labels.length + properties.length > 0)
        throw new CypherError(
          'syntax',
          `The variable ${variable} is already bound to a node. Use SET to change the node.`,
        );
      nodes.push(bound);
      continue;
    }
    const node = await context.store.createNode(
      [...new Set(labels)],
      toStorable(evaluateProperties(context, properties, current)),
    );
    nodes.push(node);
    if (variable !== undefined) current = { ...current, [variable]: node };
  }
  const edges: GraphEdge[] = [];
  for (const [i, pattern] of path.edges.entries()) {
    const [left, right] = [nodes[i]!, nodes[i + 1]!];
    const edge = await createEdge(context, pattern, left, right, current);
    edges.push(edge);
    if (pattern.variable !== undefined) current = { ...current, [pattern.variable]: edge };
  }
  return path.variable === undefined ? current : { ...current, [path.variable]: new GraphPath(nodes, edges) };
}

async function createEdge(
  context: MatchContext,
  { variable, types, direction, hops, properties }: EdgePattern,
  left: GraphNode,
  right: GraphNode,
  row: Row,
): Promise<GraphEdge> {
  const [type, ...others] = types;
  if (type === undefined || others.length > 0 || hops)
    throw new CypherError('syntax', 'A new relationship must have exactly one type.');
  if (variable !== undefined && Object.hasOwn(row, variable))
    throw new CypherError('syntax', `The variable ${variable} is already defined.`);
  const [from, to] = direction === 'in' ? [right, left] : [left, right];
  return context.store.createEdge(type, from.id, to.id, toStorable(evaluateProperties(context, properties, row)));
}

/** Runs MERGE: matches the pattern, or creates all of it if there is no match. */
export async function mergePath(
  context: MatchContext,
  rows: readonly Row[],
  { path, onCreate, onMatch }: Extract<Clause, { kind: 'merge' }>,
): Promise<readonly Row[]> {
  const merged: Row[] = [];
  // Row by row, because a row must find what an earlier row created.
  for (const row of rows) {
    context.check();
    const found = (await matchPaths(context, [row], [path], undefined)).map((match) => match.row);
    const current = found.length > 0 ? found : [await createPath(context, row, path)];
    await assignProperties(context, current, found.length > 0 ? onMatch : onCreate);
    merged.push(...current);
  }
  return merged;
}

export async function assignProperties(
  context: MatchContext,
  rows: readonly Row[],
  assignments: readonly Assignment[],
): Promise<void> {
  for (const row of rows) {
    for (const assignment of assignments) {
      const element = findElement(row, assignment.variable);
      if (!element) continue;
      if (assignment.kind === 'labels') {
        if (!(element instanceof GraphNode)) throw new CypherError('bad_value', 'Only nodes have labels.');
        element.labels = [...new Set([...element.labels, ...assignment.labels])];
      } else {
        const value = evaluate(assignment.value.expression, { row, parameters: context.parameters });
        const changes = assignment.kind === 'property' ? { [assignment.name]: value } : readProperties(value);
        const kept = assignment.kind === 'all' && !assignment.add ? {} : element.properties;
        element.properties = toStorable({ ...kept, ...changes });
      }
      await save(context, element);
    }
  }
}

export async function removeProperties(
  context: MatchContext,
  rows: readonly Row[],
  removals: readonly Removal[],
): Promise<void> {
  for (const row of rows) {
    for (const removal of removals) {
      const element = findElement(row, removal.variable);
      if (!element) continue;
      if (removal.kind === 'property') {
        const { [removal.name]: _removed, ...kept } = element.properties;
        element.properties = kept;
      } else if (element instanceof GraphNode) {
        element.labels = element.labels.filter((label) => !removal.labels.includes(label));
      }
      await save(context, element);
    }
  }
}

export async function deleteValues(
  context: MatchContext,
  rows: readonly Row[],
  values: readonly Scoped[],
  detach: boolean,
): Promise<void> {
  const nodes = new Set<number>();
  const edges = new Set<number>();
  const add = (value: Value): void => {
    if (value instanceof GraphNode) nodes.add(value.id);
    else if (value instanceof GraphEdge) edges.add(value.id);
    else if (value instanceof GraphPath) [...value.nodes, ...value.edges].forEach(add);
    else if (isList(value)) value.forEach(add);
    else if (value !== null) throw new CypherError('bad_value', `${describe(value)} cannot be deleted.`);
  };
  const { parameters, store } = context;
  for (const row of rows) for (const { expression } of values) add(evaluate(expression, { row, parameters }));
  const found = await store.findEdges([...nodes], 'both', [], context.limit + 1);
  requireWithinLimit(context, found);
  const attached = found.map(({ id }) => id);
  if (!detach && attached.some((id) => !edges.has(id)))
    throw new CypherError('still_connected', 'A node with relationships cannot be deleted. Use DETACH DELETE.');
  await store.deleteEdges([...edges, ...attached]);
  await store.deleteNodes([...nodes]);
}

function findElement(row: Row, variable: string): GraphNode | GraphEdge | undefined {
  if (!Object.hasOwn(row, variable)) throw new CypherError('syntax', `The variable ${variable} is not defined.`);
  const value = row[variable] ?? null;
  if (value === null) return undefined;
  if (value instanceof GraphNode || value instanceof GraphEdge) return value;
  throw new CypherError('bad_value', `${variable} is ${describe(value)}, which has no properties to change.`);
}

async function save({ store }: MatchContext, element: GraphNode | GraphEdge): Promise<void> {
  await (element instanceof GraphNode ? store.saveNode(element) : store.saveEdge(element));
}

function readProperties(value: Value): Properties {
  if (value instanceof GraphNode || value instanceof GraphEdge) return value.properties;
  if (isMap(value)) return value;
  throw new CypherError('bad_value', `Expected a map of properties, but found ${describe(value)}.`);
}

/** Prepares properties for storage: drops null values and refuses anything but scalars and lists of scalars. */
function toStorable(properties: Properties): Properties {
  const entries = Object.entries(properties).filter(([, value]) => value !== null);
  for (const [name, value] of entries) {
    const scalars = isList(value) ? value : [value];
    if (scalars.some((item) => item === null || typeof item === 'object'))
      throw new CypherError(
        'bad_value',
        `The property ${name} must be a string, a number, a boolean or a list of these.`,
      );
  }
  return Object.fromEntries(entries);
}
