import { resolveCollection, type PackHost, type RemoteToolContext } from '@phaseline/tools';
import { ToolError, type JobId, type Metamodel } from '@phaseline/contracts';
import type { Pool } from 'pg';
import {
  EmbeddedGraph,
  Neo4jGraph,
  Neo4jServer,
  CypherError,
  DEFAULT_METAMODEL,
  type Neo4jSettings,
  type Graph,
  type GraphLimits,
} from '@phaseline/graph';

/** Services that the graph pack needs from the process that runs it. */
export interface GraphHost {
  openGraph(jobId: JobId): Promise<Graph>;
  /** What the graph may contain. Defaults to requirements, business objects and messages. */
  readonly metamodel?: Metamodel;
}

/** Creates a host with graphs in PostgreSQL. `{tenant}` in the name is replaced by the tenant of the job. */
export function createEmbeddedGraphHost({ database, getTenant }: PackHost<Pool>, name = '{tenant}'): GraphHost {
  return { openGraph: async (jobId) => new EmbeddedGraph(database, resolveCollection(name, await getTenant(jobId))) };
}

/** Graph host with databases of a Neo4j server. Connects on the first call. `{tenant}` in the name is replaced by the tenant of the job. */
export class Neo4jGraphHost implements GraphHost {
  private server: Promise<Neo4jServer> | undefined;
  private readonly graphs = new Map<string, Neo4jGraph>();

  constructor(
    private readonly settings: Neo4jSettings,
    private readonly host: Pick<PackHost, 'getTenant'>,
    private readonly name = 'neo4j',
  ) {}

  async openGraph(jobId: JobId): Promise<Graph> {
    this.server ??= Neo4jServer.open(this.settings);
    const server = await this.server;
    const database = resolveCollection(this.name, await this.host.getTenant(jobId));
    const graph = this.graphs.get(database) ?? new Neo4jGraph(server, database);
    this.graphs.set(database, graph);
    return graph;
  }

  async close(): Promise<void> {
    await (await this.server)?.close();
  }
}

export interface GraphOfCall {
  readonly graph: Graph;
  readonly metamodel: Metamodel;
  readonly limits: GraphLimits;
}

/** Timeout of one query. Shorter than the timeout of the tools, so that the model learns which query was too slow. */
const QUERY_TIMEOUT_MS = 20_000;

/** Opens the graph of a call and runs a tool on it. Errors in a query reach the model as ToolError. */
export async function runOnGraph<T>(
  host: GraphHost,
  context: RemoteToolContext,
  rows: number,
  work: (at: GraphOfCall) => Promise<T>,
): Promise<T> {
  const metamodel = context.settings?.graph?.metamodel ?? host.metamodel ?? DEFAULT_METAMODEL;
  const limits = { maxRows: rows, timeoutMs: QUERY_TIMEOUT_MS, signal: context.signal };
  try {
    return await work({ graph: await host.openGraph(context.jobId), metamodel, limits });
  } catch (error) {
    if (error instanceof CypherError) throw new ToolError(`cypher_${error.code}`, error.message, { cause: error });
    throw error;
  }
}
