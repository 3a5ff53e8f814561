import type { GraphEdge, GraphNode, Properties } from './values.js';

/** Filter for nodes that have all the labels and exactly these values for these properties. */
export interface NodeFilter {
  readonly labels: readonly string[];
  readonly properties: Properties;
}

/** Access to one graph in one transaction. Each node and edge is represented by one object, however often it is read. */
export interface GraphStore {
  /** Returns at most `limit` nodes. The engine requests one more than it accepts, to detect an overflow. */
  findNodes(filter: NodeFilter, limit: number): Promise<readonly GraphNode[]>;
  getNodes(ids: readonly number[]): Promise<ReadonlyMap<number, GraphNode>>;
  /** Returns edges that start (`out`), end (`in`) or either (`both`) at the nodes. An empty `types` means any type. */
  findEdges(
    nodes: readonly number[],
    direction: 'out' | 'in' | 'both',
    types: readonly string[],
    limit: number,
  ): Promise<readonly GraphEdge[]>;
  createNode(labels: readonly string[], properties: Properties): Promise<GraphNode>;
  createEdge(type: string, from: number, to: number, properties: Properties): Promise<GraphEdge>;
  /** Stores the current labels and properties of the node. */
  saveNode(node: GraphNode): Promise<void>;
  saveEdge(edge: GraphEdge): Promise<void>;
  deleteEdges(ids: readonly number[]): Promise<void>;
  /** Deletes nodes whose edges have already been deleted. */
  deleteNodes(ids: readonly number[]): Promise<void>;
}
