import { toWellFormedText } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import { withDatabase } from '@phaseline/tools';
import type { Pool, PoolClient } from 'pg';
import { CypherError } from '../cypher/cypher-error.js';
import { parseQuery } from '../cypher/parse-query.js';
import { runQuery } from '../cypher/run-query.js';
import { GraphEdge, GraphNode, GraphPath, isList, isMap, type Value } from '../cypher/values.js';
import type {
  RunQuery,
  Graph,
  GraphResult,
  GraphCall,
  GraphLimits,
  GraphSchema,
  Parameters,
  PlainValue,
} from '../graph.js';
import { PostgresGraphStore } from './postgres-graph-store.js';

/** Maximum rows, nodes or edges that one step of a query may produce, at most about 100 MB. */
const MAX_STEP_RESULTS = 50_000;

/**
 * The graph in Phaseline's own PostgreSQL, queried in a subset of Cypher. Several tool-runners use it concurrently, and any
 * of them may be killed at any time. The changes of a call and the record that it was made commit in one transaction.
 */
export class EmbeddedGraph implements Graph {
  constructor(
    private readonly pool: Pool,
    /** Name of the graph. Queries never see another graph. */
    private readonly graph: string,
  ) {}

  async read(query: string, parameters: Parameters, limits: GraphLimits): Promise<GraphResult> {
    if (parseQuery(query).writes)
      throw new CypherError('read_only', 'This tool is read-only. Remove CREATE, MERGE, SET, REMOVE and DELETE.');
    return this.transaction('READ ONLY', limits, (_client, ask) => ask(query, parameters));
  }

  async change(
    { jobId, callId }: GraphCall,
    limits: GraphLimits,
    work: (ask: RunQuery) => Promise<string>,
  ): Promise<string> {
    return this.transaction('READ WRITE', limits, async (client, ask) => {
      // One writer per graph: MERGE must find nodes created concurrently, and a repeated call the result of the first.
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 740616))', [this.graph]);
      const { rows } = await client.query<{ result: string }>(
        'SELECT result FROM phaseline.graph_calls WHERE job_id = $1 AND call_id = $2',
        [jobId, callId],
      );
      if (rows[0]) return rows[0].result;
      const result = await work(ask);
      const stored = JSON.stringify(toWellFormedText(result));
      await client.query('INSERT INTO phaseline.graph_calls (job_id, call_id, graph, result) VALUES ($1, $2, $3, $4)', [
        jobId,
        callId,
        this.graph,
        stored,
      ]);
      return result;
    });
  }

  async schema(limits: GraphLimits): Promise<GraphSchema> {
    return this.transaction('READ ONLY', limits, async (client) => {
      const labels = await client.query<{ label: string; count: number; properties: string[] }>(
        `SELECT label, count(DISTINCT id)::integer AS count,
                coalesce(array_agg(DISTINCT key ORDER BY key) FILTER (WHERE key IS NOT NULL), '{}') AS properties
         FROM phaseline.graph_nodes CROSS JOIN unnest(labels) AS label
         LEFT JOIN LATERAL jsonb_object_keys(properties) AS key ON true
         WHERE graph = $1 GROUP BY label ORDER BY label`,
        [this.graph],
      );
      const relationships = await client.query<{ from: string[]; type: string; to: string[]; count: number }>(
        `SELECT f.labels AS "from", e.type, t.labels AS "to", count(*)::integer AS count
         FROM phaseline.graph_edges AS e JOIN phaseline.graph_nodes AS f ON f.id = e.from_id
         JOIN phaseline.graph_nodes AS t ON t.id = e.to_id
         WHERE e.graph = $1 GROUP BY f.labels, e.type, t.labels ORDER BY f.labels, e.type, t.labels`,
        [this.graph],
      );
      return { labels: labels.rows, relationships: relationships.rows };
    });
  }

  private async transaction<T>(
    mode: 'READ ONLY' | 'READ WRITE',
    limits: GraphLimits,
    work: (client: PoolClient, ask: RunQuery) => Promise<T>,
  ): Promise<T> {
    const deadline = performance.now() + limits.timeoutMs;
    const checkDeadline = (): void => {
      limits.signal?.throwIfAborted();
      if (performance.now() > deadline) throw toTimeoutError(limits.timeoutMs);
    };
    return withDatabase(async () => {
      const client = await this.pool.connect();
      let broken: Error | undefined;
      try {
        // READ ONLY makes PostgreSQL itself refuse writes, in addition to the check of the query's clauses.
        await client.query(
          `BEGIN ISOLATION LEVEL ${mode === 'READ ONLY' ? 'REPEATABLE READ' : 'READ COMMITTED'} ${mode}`,
        );
        await client.query("SELECT set_config('statement_timeout', $1, true)", [String(Math.ceil(limits.timeoutMs))]);
        const store = new PostgresGraphStore(client, this.graph);
        const ask: RunQuery = async (query, parameters = {}) => {
          const context = { store, parameters, limit: MAX_STEP_RESULTS, check: checkDeadline };
          const { columns, rows } = await runQuery(context, parseQuery(query));
          const limitedRows = rows.slice(0, limits.maxRows).map((row) => row.map(toPlain));
          return { columns, rows: limitedRows, omittedRows: rows.length - limitedRows.length };
        };
        const result = await work(client, ask);
        checkDeadline();
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch((lost: Error) => (broken = lost));
        if ((error as { code?: string }).code === '57014') throw toTimeoutError(limits.timeoutMs);
        throw error;
      } finally {
        client.release(broken);
      }
    });
  }
}

function toTimeoutError(timeoutMs: number): ToolError {
  return new ToolError(
    'query_timeout',
    `The query took longer than ${timeoutMs} ms and was stopped. Start with a label and a property, and return less.`,
  );
}

function toPlain(value: Value): PlainValue {
  if (value instanceof GraphNode)
    return { node: { id: String(value.id), labels: value.labels, properties: toPlain(value.properties) } };
  if (value instanceof GraphEdge) {
    const { id, type, from, to, properties } = value;
    return {
      relationship: { id: String(id), type, from: String(from), to: String(to), properties: toPlain(properties) },
    };
  }
  if (value instanceof GraphPath) return { path: interleaveElements(value).map(toPlain) };
  if (isList(value)) return value.map(toPlain);
  return isMap(value) ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toPlain(part)])) : value;
}

function interleaveElements({ nodes, edges }: GraphPath): Value[] {
  return nodes.flatMap((node, i): Value[] => [node, ...edges.slice(i, i + 1)]);
}
