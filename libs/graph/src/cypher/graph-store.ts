import type { GraphEdge, GraphNode, Properties } from './values.js';

/** What a node must have: all of the labels, and these properties with these values. */
export interface NodeFilter {
  readonly labels: readonly string[];
  readonly properties: Properties;
}

/** One transaction on one graph, as the engine sees it. A node or edge is one object, however often it is read. */
export interface GraphStore {
  /** At most `limit`; the engine asks for one more than it will take. */
  findNodes(filter: NodeFilter, limit: number): Promise<readonly GraphNode[]>;
  nodesById(ids: readonly number[]): Promise<ReadonlyMap<number, GraphNode>>;
  /** Edges that start (`out`), end (`in`) or do either (`both`) at the nodes; of any type where none is given. */
  edgesOf(
    nodes: readonly number[],
    direction: 'out' | 'in' | 'both',
    types: readonly string[],
    limit: number,
  ): Promise<readonly GraphEdge[]>;
  createNode(labels: readonly string[], properties: Properties): Promise<GraphNode>;
  createEdge(type: string, from: number, to: number, properties: Properties): Promise<GraphEdge>;
  /** Stores labels and properties as the object has them now. */
  saveNode(node: GraphNode): Promise<void>;
  saveEdge(edge: GraphEdge): Promise<void>;
  deleteEdges(ids: readonly number[]): Promise<void>;
  /** Their edges must be gone. */
  deleteNodes(ids: readonly number[]): Promise<void>;
}
