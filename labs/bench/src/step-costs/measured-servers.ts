import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { migrate } from '@phaseline/event-store';
import { startPostgres, startRedis, type RunningPostgres, type RunningRedis } from '@phaseline/local-stack';
import { migrateQueues, type BackendConfig } from '@phaseline/queue';
import pg from 'pg';
import { BenchFailed } from '../bench-failed.js';
import type { Counts } from './per-step.js';
import { readProcessorMicros } from './read-processor-time.js';

/** What the servers have done since they started. */
export interface ServerCounts {
  readonly database: Counts<'events' | 'commits' | 'walBytes' | 'walFlushes'>;
  /** Calls of the commands of Redis by name, with those inside of scripts. */
  readonly redisCommands: Counts;
  /** Processor time in microseconds. */
  readonly processorMicros: Counts<'postgres' | 'redis'>;
}

/** Time within which the processes of closed connections have to end. */
const DISCONNECT_TIMEOUT_MS = 10_000;
/** Time for which the servers are left alone before they are read, so that ended processes are reaped. */
const CALM_MS = 200;

/** PostgreSQL, and Redis if there is one, for the measured jobs alone. */
export class MeasuredServers {
  private constructor(
    private readonly postgres: RunningPostgres,
    private readonly admin: pg.Client,
    private readonly redis: { readonly server: RunningRedis; readonly client: Redis } | undefined,
  ) {}

  /** Starts the servers with their data in a folder. Neither a checkpoint nor autovacuum runs while jobs are measured. */
  static async start(folder: string): Promise<MeasuredServers> {
    const postgres = await startPostgres({ dataDir: join(folder, 'costs-postgres'), durable: true });
    try {
      await migrate(postgres.ownerUrl);
      await migrateQueues(postgres.ownerUrl);
      // Connected to another database, so that its statements are not counted. The first start returns the URL.
      const admin = new pg.Client({ connectionString: postgres.superuserUrl! });
      await admin.connect();
      await admin.query('ALTER SYSTEM SET autovacuum = off');
      await admin.query(`ALTER SYSTEM SET checkpoint_timeout = '1d'`);
      await admin.query(`ALTER SYSTEM SET max_wal_size = '100GB'`);
      await admin.query('SELECT pg_reload_conf()');
      const server = await startRedis({ dataDir: join(folder, 'costs-redis') });
      return new MeasuredServers(postgres, admin, server && { server, client: new Redis(server.url) });
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  get databaseUrl(): string {
    return this.postgres.serviceUrl;
  }

  /** The available queue backends. */
  get backends(): readonly BackendConfig[] {
    return [
      { backend: 'postgres', connectionString: this.databaseUrl },
      ...(this.redis ? [{ backend: 'redis', url: this.redis.server.url } as const] : []),
    ];
  }

  /** Reads the counts after all connections to the database were closed, because its processes report some counts when they end. */
  async read(): Promise<ServerCounts> {
    await this.waitForDisconnection();
    await sleep(CALM_MS);
    const events = await this.countEvents();
    await this.waitForDisconnection();
    const { rows } = await this.admin.query<{ commits: string; wal: string; flushes: string }>(
      `SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = $1) AS commits,
              pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal,
              (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal' AND backend_type = 'client backend') AS flushes`,
      [this.databaseName],
    );
    const { commits, wal, flushes } = rows[0]!;
    return {
      database: { events, commits: Number(commits), walBytes: Number(wal), walFlushes: Number(flushes) },
      redisCommands: parseCommandCalls((await this.redis?.client.info('commandstats')) ?? ''),
      processorMicros: {
        postgres: await readProcessorMicros(this.postgres.pid),
        redis: parseProcessorMicros((await this.redis?.client.info('cpu')) ?? ''),
      },
    };
  }

  async stop(): Promise<void> {
    this.redis?.client.disconnect();
    await this.redis?.server.stop();
    await this.admin.end();
    await this.postgres.stop();
  }

  private get databaseName(): string {
    return new URL(this.databaseUrl).pathname.slice(1);
  }

  private async countEvents(): Promise<number> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ events: string }>('SELECT count(*) AS events FROM phaseline.events');
      return Number(rows[0]!.events);
    } finally {
      await client.end();
    }
  }

  private async waitForDisconnection(): Promise<void> {
    for (const deadline = performance.now() + DISCONNECT_TIMEOUT_MS; ; await sleep(20)) {
      const { rows } = await this.admin.query(
        `SELECT FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
        [this.databaseName],
      );
      if (rows.length === 0) return;
      if (performance.now() > deadline) throw new BenchFailed(`${rows.length} connections to the database are open`);
    }
  }
}

/** Parses lines such as `cmdstat_evalsha:calls=12,usec=…`. */
export function parseCommandCalls(info: string): Counts {
  return Object.fromEntries(
    [...info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name, calls]) => [name!, Number(calls)]),
  );
}

/** Parses lines such as `used_cpu_user:1.5`, in seconds: of all threads, without child processes. */
export function parseProcessorMicros(info: string): number {
  const seconds = [...info.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)].map(([, value]) => Number(value));
  return seconds.reduce((sum, value) => sum + value, 0) * 1_000_000;
}
