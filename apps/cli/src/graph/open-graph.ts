import {
  DEFAULT_METAMODEL,
  EmbeddedGraph,
  Neo4jGraph,
  Neo4jServer,
  type Graph,
  type GraphLimits,
} from '@phaseline/graph';
import { metamodelSchema, type Metamodel } from '@phaseline/contracts';
import { readFile } from 'node:fs/promises';
import type { CommandContext } from '../command/command-context.js';
import { BadEnvironment } from '../command/command-errors.js';
import { withLogPool } from '../audit/with-log-pool.js';

export interface GraphLocation {
  /** Tenant that owns the graph. */
  readonly tenant?: string;
}

const DEFAULT_TENANT = 'default';
const QUERY_TIMEOUT_MS = 20_000;

export interface OpenedGraph {
  readonly graph: Graph;
  /** Display name. */
  readonly name: string;
  readonly metamodel: Metamodel;
  limits(rows: number): GraphLimits;
}

/** Opens the graph of a tenant, from the same variables as the tool-runner, for the duration of `use`. Throws BadEnvironment. */
export async function withGraph<Result>(
  context: CommandContext,
  { tenant = DEFAULT_TENANT }: GraphLocation,
  use: (opened: OpenedGraph) => Promise<Result>,
): Promise<Result> {
  const { env, signal } = context;
  const metamodel = await readMetamodel(env);
  const limits = (rows: number): GraphLimits => ({ maxRows: rows, timeoutMs: QUERY_TIMEOUT_MS, signal });
  const url = env.NEO4J_URL?.trim();
  if (url) {
    const name = expandName(env.NEO4J_DATABASE, 'neo4j', tenant);
    const user = env.NEO4J_USER?.trim() || 'neo4j';
    const server = await Neo4jServer.open({ url, user, password: env.NEO4J_PASSWORD ?? '' });
    try {
      return await use({ graph: new Neo4jGraph(server, name), name: `${name} of NEO4J_URL`, metamodel, limits });
    } finally {
      await server.close();
    }
  }
  return withLogPool(context, 'phaseline-graph', (pool, database) =>
    use({
      graph: new EmbeddedGraph(pool, getGraphName(env, tenant)),
      name: `${getGraphName(env, tenant)} in ${database}`,
      metamodel,
      limits,
    }),
  );
}

function getGraphName(env: NodeJS.ProcessEnv, tenant: string): string {
  return expandName(env.PHASELINE_GRAPH_NAME, '{tenant}', tenant);
}

function expandName(pattern: string | undefined, defaultPattern: string, tenant: string): string {
  return (pattern?.trim() || defaultPattern).replaceAll('{tenant}', () => tenant);
}

async function readMetamodel(env: NodeJS.ProcessEnv): Promise<Metamodel> {
  const file = env.PHASELINE_GRAPH_METAMODEL_FILE?.trim();
  if (!file) return DEFAULT_METAMODEL;
  try {
    return metamodelSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    throw new BadEnvironment(`PHASELINE_GRAPH_METAMODEL_FILE: ${file} is not a valid metamodel.`, { cause });
  }
}
