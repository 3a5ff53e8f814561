import type { Dependency } from '../../artifacts/roadmap.js';
import type { OutlineTree } from '../outline-tree.js';

/** Start (`S`) or finish (`F`) of a node. */
type Vertex = `${'S' | 'F'} ${string}`;
type Graph = ReadonlyMap<Vertex, readonly Vertex[]>;

/**
 * Returns the ids of nodes that wait for each other, in order, each once; `undefined` if there is no cycle. Starts and finishes are
 * vertices of their own, since `a` may finish after `b` while `b` starts after `a`. A node contains its children in time, so that a
 * dependency of a milestone holds for its tasks. Lags are left out.
 */
export function findDependencyCycle(
  tree: OutlineTree,
  dependencies: readonly Dependency[],
): readonly string[] | undefined {
  const graph = buildGraph(tree, dependencies);
  const done = new Set<Vertex>();
  for (const start of graph.keys()) {
    const cycle = walk(graph, start, done);
    if (cycle) return [...new Set(cycle.map((vertex) => vertex.slice(2)))];
  }
  return undefined;
}

function buildGraph(tree: OutlineTree, dependencies: readonly Dependency[]): Graph {
  const graph = new Map<Vertex, Vertex[]>();
  const connect = (from: Vertex, to: Vertex): void => {
    const list = graph.get(from);
    if (list) list.push(to);
    else graph.set(from, [to]);
  };
  for (const { from, to, kind } of dependencies)
    connect(`${kind[0] as 'S' | 'F'} ${from}`, `${kind[1] as 'S' | 'F'} ${to}`);
  for (const { id, parent } of tree.nodes) {
    connect(`S ${id}`, `F ${id}`);
    if (parent === null) continue;
    connect(`S ${parent}`, `S ${id}`);
    connect(`F ${id}`, `F ${parent}`);
  }
  return graph;
}

/** Searches in depth with a list instead of recursion, which a chain of a thousand tasks would exhaust. */
function walk(graph: Graph, start: Vertex, done: Set<Vertex>): readonly Vertex[] | undefined {
  const path: Vertex[] = [];
  const onPath = new Set<Vertex>();
  const open: { readonly vertex: Vertex; next: number }[] = [];
  const enter = (vertex: Vertex): void => {
    path.push(vertex);
    onPath.add(vertex);
    open.push({ vertex, next: 0 });
  };
  if (!done.has(start)) enter(start);
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const next = graph.get(frame.vertex)?.[frame.next++];
    if (next === undefined) {
      open.pop();
      path.pop();
      onPath.delete(frame.vertex);
      done.add(frame.vertex);
    } else if (onPath.has(next)) return path.slice(path.indexOf(next));
    else if (!done.has(next)) enter(next);
  }
  return undefined;
}
