import { toWellFormedJson } from '@phaseline/basics';
import type { ClientBase } from 'pg';
import type { GraphStore, NodeFilter } from '../cypher/graph-store.js';
import { GraphEdge, GraphNode, type Properties } from '../cypher/values.js';

interface NodeRow {
  id: string;
  labels: string[];
  properties: Properties;
}

interface EdgeRow {
  id: string;
  type: string;
  from_id: string;
  to_id: string;
  properties: Properties;
}

/** Stores one graph in the tables of migrations/000016_graph.sql, using a client inside a transaction. */
export class PostgresGraphStore implements GraphStore {
  private readonly nodes = new Map<number, GraphNode>();
  private readonly edges = new Map<number, GraphEdge>();

  constructor(
    private readonly client: ClientBase,
    private readonly graph: string,
  ) {}

  async findNodes({ labels, properties }: NodeFilter, limit: number): Promise<readonly GraphNode[]> {
    const { rows } = await this.client.query<NodeRow>(
      `SELECT id, labels, properties FROM phaseline.graph_nodes
       WHERE graph = $1 AND labels @> $2::text[] AND properties @> $3::jsonb ORDER BY id LIMIT $4`,
      [this.graph, labels, JSON.stringify(properties), limit],
    );
    return rows.map((row) => this.toNode(row));
  }

  async getNodes(ids: readonly number[]): Promise<ReadonlyMap<number, GraphNode>> {
    const missing = ids.filter((id) => !this.nodes.has(id));
    if (missing.length > 0) {
      const { rows } = await this.client.query<NodeRow>(
        'SELECT id, labels, properties FROM phaseline.graph_nodes WHERE graph = $1 AND id = ANY ($2::bigint[])',
        [this.graph, missing],
      );
      for (const row of rows) this.toNode(row);
    }
    return this.nodes;
  }

  async findEdges(
    nodes: readonly number[],
    direction: 'out' | 'in' | 'both',
    types: readonly string[],
    limit: number,
  ): Promise<readonly GraphEdge[]> {
    if (nodes.length === 0) return [];
    const ofNodes = {
      out: 'from_id = ANY ($2)',
      in: 'to_id = ANY ($2)',
      both: '(from_id = ANY ($2) OR to_id = ANY ($2))',
    };
    const { rows } = await this.client.query<EdgeRow>(
      `SELECT id, type, from_id, to_id, properties FROM phaseline.graph_edges
       WHERE graph = $1 AND ${ofNodes[direction].replaceAll('$2', '$2::bigint[]')} AND ($3::text[] = '{}' OR type = ANY ($3)) ORDER BY id LIMIT $4`,
      [this.graph, nodes, types, limit],
    );
    return rows.map((row) => this.toEdge(row));
  }

  async createNode(labels: readonly string[], properties: Properties): Promise<GraphNode> {
    const { rows } = await this.client.query<NodeRow>(
      'INSERT INTO phaseline.graph_nodes (graph, labels, properties) VALUES ($1, $2, $3) RETURNING id, labels, properties',
      [this.graph, labels, toWellFormedJson(properties)],
    );
    return this.toNode(rows[0]!);
  }

  async createEdge(type: string, from: number, to: number, properties: Properties): Promise<GraphEdge> {
    const { rows } = await this.client.query<EdgeRow>(
      `INSERT INTO phaseline.graph_edges (graph, type, from_id, to_id, properties) VALUES ($1, $2, $3, $4, $5)
       RETURNING id, type, from_id, to_id, properties`,
      [this.graph, type, from, to, toWellFormedJson(properties)],
    );
    return this.toEdge(rows[0]!);
  }

  async saveNode({ id, labels, properties }: GraphNode): Promise<void> {
    await this.client.query(
      'UPDATE phaseline.graph_nodes SET labels = $3, properties = $4 WHERE graph = $1 AND id = $2',
      [this.graph, id, labels, toWellFormedJson(properties)],
    );
  }

  async saveEdge({ id, properties }: GraphEdge): Promise<void> {
    await this.client.query('UPDATE phaseline.graph_edges SET properties = $3 WHERE graph = $1 AND id = $2', [
      this.graph,
      id,
      toWellFormedJson(properties),
    ]);
  }

  async deleteEdges(ids: readonly number[]): Promise<void> {
    await this.client.query('DELETE FROM phaseline.graph_edges WHERE graph = $1 AND id = ANY ($2::bigint[])', [
      this.graph,
      ids,
    ]);
  }

  async deleteNodes(ids: readonly number[]): Promise<void> {
    await this.client.query('DELETE FROM phaseline.graph_nodes WHERE graph = $1 AND id = ANY ($2::bigint[])', [
      this.graph,
      ids,
    ]);
  }

  private toNode({ id, labels, properties }: NodeRow): GraphNode {
    const known = this.nodes.get(Number(id));
    if (known) return known;
    const node = new GraphNode(Number(id), labels, properties);
    this.nodes.set(node.id, node);
    return node;
  }

  private toEdge({ id, type, from_id, to_id, properties }: EdgeRow): GraphEdge {
    const known = this.edges.get(Number(id));
    if (known) return known;
    const edge = new GraphEdge(Number(id), type, Number(from_id), Number(to_id), properties);
    this.edges.set(edge.id, edge);
    return edge;
  }
}
