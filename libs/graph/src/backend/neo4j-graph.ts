import { ToolError } from '@phaseline/contracts';
import type { Driver, ManagedTransaction, Session } from 'neo4j-driver';
import { CypherError } from '../cypher/cypher-error.js';
import { tokenize } from '../cypher/tokens.js';
import type { Value } from '../cypher/values.js';
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

type Neo4j = Pick<
  typeof import('neo4j-driver'),
  'auth' | 'driver' | 'int' | 'isInt' | 'isNode' | 'isPath' | 'isRelationship' | 'session'
>;

/** Label of the nodes that record calls; hidden from the schema. */
const CALL_LABEL = 'PhaselineCall';

export interface Neo4jSettings {
  /** URL of the server, for example `neo4j+s://host:7687`. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** How long the driver retries, in milliseconds. Defaults to 10 s, because the tool-runner retries as well. */
  readonly retryMs?: number;
}

/** A connection pool to a Neo4j server. The driver is loaded only if a server is configured. The caller closes the pool. */
export class Neo4jServer {
  private constructor(
    readonly neo4j: Neo4j,
    readonly driver: Driver,
  ) {}

  static async open({ url, user, password, retryMs = 10_000 }: Neo4jSettings): Promise<Neo4jServer> {
    const { default: neo4j }: { default: Neo4j } = await import('neo4j-driver');
    const auth = neo4j.auth.basic(user, password);
    return new Neo4jServer(
      neo4j,
      neo4j.driver(url, auth, {
        disableLosslessIntegers: true,
        userAgent: 'phaseline',
        maxTransactionRetryTime: retryMs,
        connectionTimeout: 10_000,
      }),
    );
  }

  async close(): Promise<void> {
    await this.driver.close();
  }
}

/** A graph in a database of a Neo4j server. All callers with the same database name share it. */
export class Neo4jGraph implements Graph {
  private prepared: Promise<unknown> | undefined;

  constructor(
    private readonly server: Neo4jServer,
    private readonly database: string,
  ) {}

  async read(query: string, parameters: Parameters, limits: GraphLimits): Promise<GraphResult> {
    refuseChanges(query);
    return this.session('READ', limits, (session, config) =>
      session.executeRead((transaction) => this.ask(transaction, limits)(query, parameters), config),
    );
  }

  async change(
    { jobId, callId }: GraphCall,
    limits: GraphLimits,
    work: (ask: RunQuery) => Promise<string>,
  ): Promise<string> {
    // The constraint makes two attempts of one call wait for each other at the node that records the call.
    this.prepared ??= this.session('WRITE', limits, (session) =>
      session.run(`CREATE CONSTRAINT phaseline_call_id IF NOT EXISTS FOR (c:${CALL_LABEL}) REQUIRE c.id IS UNIQUE`),
    );
    await this.prepared.catch((error: unknown) => {
      this.prepared = undefined;
      throw error;
    });
    const id = `${jobId}/${callId}`;
    return this.session('WRITE', limits, (session, config) =>
      session.executeWrite(async (transaction) => {
        const ask = this.ask(transaction, limits);
        const { rows } = await ask(`MERGE (c:${CALL_LABEL} {id: $id}) SET c.seen = true RETURN c.result`, { id });
        const [known] = rows[0] ?? [];
        if (typeof known === 'string') return known;
        const result = await work(ask);
        await ask(`MATCH (c:${CALL_LABEL} {id: $id}) SET c.result = $result`, { id, result });
        return result;
      }, config),
    );
  }

  async schema(limits: GraphLimits): Promise<GraphSchema> {
    const all: GraphLimits = { ...limits, maxRows: 5_000 };
    const [labels, keys, relationships] = [
      await this.read(`MATCH (n) UNWIND labels(n) AS label RETURN label, count(*) AS count ORDER BY label`, {}, all),
      await this.read(
        `MATCH (n) UNWIND labels(n) AS label UNWIND keys(n) AS key RETURN DISTINCT label, key ORDER BY label, key`,
        {},
        all,
      ),
      await this.read(
        `MATCH (a)-[r]->(b) RETURN labels(a) AS source, type(r) AS type, labels(b) AS target, count(*) AS count`,
        {},
        all,
      ),
    ];
    return {
      labels: labels.rows
        .filter(([label]) => label !== CALL_LABEL)
        .map(([label, count]) => ({
          label: String(label),
          count: Number(count),
          properties: keys.rows.filter(([of]) => of === label).map(([, key]) => String(key)),
        })),
      relationships: relationships.rows.map(([from, type, to, count]) => ({
        from: from as string[],
        type: String(type),
        to: to as string[],
        count: Number(count),
      })),
    };
  }

  /** Streams the rows and stops at the limit, so that a huge result is never held in memory. */
  private ask(transaction: ManagedTransaction, limits: GraphLimits): RunQuery {
    return async (query, parameters = {}) => {
      const result = transaction.run(query, this.toDriverValue(parameters) as Record<string, unknown>);
      const rows: PlainValue[][] = [];
      let more = false;
      for await (const record of result) {
        limits.signal?.throwIfAborted();
        more = rows.length >= limits.maxRows;
        if (more) break;
        rows.push(record.keys.map((key) => this.toPlain(record.get(key))));
      }
      return { columns: [...(await result.keys())], rows, omittedRows: more ? undefined : 0 };
    };
  }

  private async session<T>(
    mode: 'READ' | 'WRITE',
    limits: GraphLimits,
    work: (session: Session, config: { timeout: number }) => Promise<T>,
  ): Promise<T> {
    const { neo4j, driver } = this.server;
    const session = driver.session({ database: this.database, defaultAccessMode: neo4j.session[mode] });
    try {
      return await work(session, { timeout: limits.timeoutMs });
    } catch (error) {
      throw this.toDescribedError(error);
    } finally {
      await session.close();
    }
  }

  private toDescribedError(error: unknown): unknown {
    const { code, message = '', retriable } = error as { code?: string; message?: string; retriable?: boolean };
    if (code === undefined || error instanceof ToolError || error instanceof CypherError) return error;
    if (code === 'ServiceUnavailable' || code === 'SessionExpired' || retriable)
      return new ToolError('graph_unavailable', 'The graph database did not respond. Try again later.', {
        retryable: true,
        cause: error,
      });
    if (code.startsWith('Neo.ClientError.Security'))
      return new ToolError(
        'graph_login_refused',
        'The graph database refused the login. An operator must check NEO4J_USER, NEO4J_PASSWORD and the rights of the user.',
        { cause: error },
      );
    if (code.includes('TransactionTimedOut'))
      return new ToolError('query_timeout', 'The query took too long and was stopped. Return less.', { cause: error });
    if (code.startsWith('Neo.ClientError.Statement'))
      return new ToolError('bad_query', `The graph rejected the query: ${message}`, { cause: error });
    return error;
  }

  /** Converts values for the driver. Whole numbers become integers; otherwise the driver would send every number as a float. */
  private toDriverValue(value: unknown): unknown {
    const { neo4j } = this.server;
    if (typeof value === 'number') return Number.isSafeInteger(value) ? neo4j.int(value) : value;
    if (Array.isArray(value)) return value.map((item) => this.toDriverValue(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value as Record<string, Value>).map(([name, part]) => [name, this.toDriverValue(part)]),
    );
  }

  private toPlain(value: unknown): PlainValue {
    const { neo4j } = this.server;
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return value;
    if (value === undefined) return null;
    if (typeof value === 'bigint' || neo4j.isInt(value)) return Number(value);
    if (Array.isArray(value)) return value.map((item) => this.toPlain(item));
    if (neo4j.isNode(value))
      return { node: { id: value.elementId, labels: value.labels, properties: this.toPlain(value.properties) } };
    if (neo4j.isRelationship(value)) {
      const { elementId, type, startNodeElementId, endNodeElementId, properties } = value;
      return {
        relationship: {
          id: elementId,
          type,
          from: startNodeElementId,
          to: endNodeElementId,
          properties: this.toPlain(properties),
        },
      };
    }
    if (neo4j.isPath(value)) {
      const rest = value.segments.flatMap(({ relationship, end }) => [relationship, end]);
      return { path: [value.start, ...rest].map((part) => this.toPlain(part)) };
    }
    if (typeof value === 'object' && Object.getPrototypeOf(value) !== Object.prototype) return String(value);
    return Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, this.toPlain(part)]));
  }
}

const CHANGING_KEYWORDS = new Set([
  'CREATE',
  'MERGE',
  'SET',
  'REMOVE',
  'DELETE',
  'DROP',
  'FOREACH',
  'LOAD',
  'CALL',
  'GRANT',
  'DENY',
  'ALTER',
]);

/** Refuses queries that change anything. The server also refuses writes in a read transaction, but not LOAD and CALL, which reach beyond the graph. */
function refuseChanges(query: string): void {
  const tokens = tokenize(query);
  for (const [i, { kind, text }] of tokens.entries()) {
    if (kind !== 'word' || !CHANGING_KEYWORDS.has(text.toUpperCase())) continue;
    const before = tokens[i - 1];
    if (before?.kind === 'sign' && (before.text === '.' || before.text === ':' || before.text === '|')) continue;
    throw new CypherError(
      'read_only',
      `This tool is read-only. Remove ${text.toUpperCase()}, or put it in backticks if it is a name.`,
    );
  }
}
