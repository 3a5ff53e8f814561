import type pg from 'pg';
import { BenchFailed } from '../../bench-failed.js';
import type { Figures } from './find-leaks.js';
import { Inspector } from './inspector.js';

/** Where the figures of the orchestrator come from. */
export interface ServerSources {
  readonly url: string;
  readonly inspectorPort: number;
  readonly pool: pg.Pool;
}

/** Connections of the orchestrator, and those of them that listen to notifications: on these, nothing else is executed. */
const CONNECTIONS_SQL = `SELECT count(*)::integer AS connections,
    count(*) FILTER (WHERE query IN ('SELECT 1') OR query LIKE 'LISTEN %')::integer AS listening
  FROM pg_stat_activity WHERE application_name LIKE 'orchestrator-%'`;

/** Reads what the orchestrator holds: memory and heap in MB, sockets, and connections to the database. */
export async function readServerFigures({ url, inspectorPort, pool }: ServerSources): Promise<Figures> {
  // Without a collection first, the memory says little.
  using inspector = await Inspector.open(inspectorPort);
  const heap = await inspector.readHeap();
  const metrics = await readMetrics(url);
  const { rows } = await pool.query<{ connections: number; listening: number }>(CONNECTIONS_SQL);
  return {
    heap,
    memory: readMetric(metrics, 'process_resident_memory_bytes') / 1_000_000,
    sockets: readMetric(metrics, 'nodejs_active_resources', 'type="TCPSocketWrap"'),
    ...rows[0]!,
  };
}

/** Number of live connections that the orchestrator sees. */
export async function countLiveConnections(url: string): Promise<number> {
  return readMetric(await readMetrics(url), 'phaseline_live_connections');
}

async function readMetrics(url: string): Promise<string> {
  const response = await fetch(`${url}/metrics`);
  if (!response.ok) throw new BenchFailed(`/metrics answered ${response.status}`);
  return response.text();
}

function readMetric(text: string, name: string, label = ''): number {
  const line = text.split('\n').find((one) => one.startsWith(`${name}{`) && one.includes(label));
  if (line === undefined) throw new BenchFailed(`/metrics does not contain ${name}`);
  return Number(line.slice(line.lastIndexOf(' ')));
}
