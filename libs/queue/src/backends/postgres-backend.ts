import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresBackend, Queue, type BackendFactory, type IQueueBackend } from 'bullmq';
import pg from 'pg';
import { queueNames, type QueueName, type QueuedMessageId } from '@phaseline/contracts';
import { ContractWorker } from '../contract-worker.js';
import { PostgresTransport } from '../hand-over/postgres-transport.js';
import type { JsonBounds } from '../json-scan.js';
import { QueuePoolTooSmall, QueuesNotMigrated, QueueUnavailable } from '../queue-errors.js';
import type { QueuedMessage } from '../queued-message.js';
import { toConnectionLost } from './connection-lost.js';
import { DATABASE_NOW_SQL } from './database-time.js';
import { PoolView } from './pool-view.js';
import { PostgresWatch } from './postgres-watch.js';
import {
  MISSING_AFTER_MS,
  queueDefaults,
  workerDefaults,
  type Processor,
  type QueueBackend,
  type QueueDepth,
  type SqlTransaction,
  type WorkerTuning,
} from './queue-backend.js';

export interface PostgresBackendConfig {
  readonly backend: 'postgres';
  /** URL of a login that is a member of `phaseline_service`. */
  readonly connectionString: string;
  /** Maximum number of open connections: one per worker and one for what is handed over, to listen on, and some for queries. Default 15. */
  readonly maxConnections?: number;
  /** If true, every commit waits for the disk. Default false: only sends to durable queues wait. */
  readonly synchronousCommit?: boolean;
}

export interface PostgresPoolConfig {
  readonly backend: 'postgres';
  /** A pool whose connections have the search_path `bullmq`. The caller ends it. */
  readonly pool: pg.Pool;
}

/** Name of the schema that contains BullMQ's tables. */
export const QUEUE_SCHEMA = 'bullmq';

/** Connections required besides those that workers listen on. With none, a send would wait forever without an error. */
const MIN_QUERY_CONNECTIONS = 4;

/** Time that a worker waits for a notification before it polls. */
const LONG_POLL_SECONDS = 60;

/**
 * Connection errors closer together than this belong to the same outage. Connecting times out after 5 s and a statement after 15 s,
 * so a statement that was running when the server went down fails last.
 */
const SAME_OUTAGE_MS = 20_000;

/**
 * BullMQ on PostgreSQL. By default its commits do not wait for the disk: the event log holds the state, and the reconciler sends a
 * message again that was lost in a server crash. Two hops then take 2.2 ms instead of 2.8 ms, and throughput under load is 40 %
 * higher (README, "Performance").
 */
export class PostgresBackend implements QueueBackend {
  readonly kind = 'postgres';
  readonly isTransactional = true;
  /** BullMQ's bulk insert creates temporary tables, which takes 3 ms and needs a right that services do not have. */
  readonly hasCheapBulk = false;
  private readonly pool: pg.Pool;
  private readonly ownsPool: boolean;
  private readonly view: PoolView;
  private readonly onError: (error: Error) => void;
  private readonly watch: PostgresWatch;
  private readonly byQueue = new Map<string, ContractWorker>();
  private workers = 0;
  private lostAt = -Infinity;
  /** Whether a statement has succeeded since the last connection error. */
  private hasRecovered = true;
  private closed = false;

  constructor(config: PostgresBackendConfig | PostgresPoolConfig, onError: (error: Error) => void) {
    this.onError = onError;
    this.ownsPool = !('pool' in config);
    this.pool = 'pool' in config ? config.pool : new pg.Pool(createPoolConfig(config));
    this.pool.on('error', this.reportIdleError);
    this.view = new PoolView(this.pool, QUEUE_SCHEMA, (lost) => {
      if (!lost) {
        this.hasRecovered = true;
        return;
      }
      // Abandoned handlers may still run statements after the pool was closed; that is not an outage.
      if (this.closed) return;
      // An outage ends with the next successful statement. While a server stops or starts, some connections work and others fail, so
      // errors close together are also counted as one outage.
      const now = performance.now();
      if (this.hasRecovered && now - this.lostAt > SAME_OUTAGE_MS)
        onError(new QueueUnavailable('PostgreSQL', 'working', lost));
      this.hasRecovered = false;
      this.lostAt = now;
    });
    this.watch = new PostgresWatch({
      schema: QUEUE_SCHEMA,
      query: (text, values) => this.view.query(text, values),
      wake: (queue) => this.view.wake(queue),
      onStalled: (queue, messageId) => this.byQueue.get(queue)?.emit('stalled', messageId, 'active'),
      onError: (error) => {
        if (!toConnectionLost(error) && !this.closed) onError(error);
      },
    });
  }

  async waitUntilReady(timeoutMs: number): Promise<void> {
    for (const deadline = performance.now() + timeoutMs; ; await sleep(200)) {
      try {
        return await this.check();
      } catch (error) {
        if (error instanceof QueuesNotMigrated) throw error;
        if (!toConnectionLost(error) || performance.now() >= deadline)
          throw new QueueUnavailable('PostgreSQL', 'connecting', error);
      }
    }
  }

  createQueue(name: QueueName): Queue {
    // The types of BullMQ name Redis connections; its PostgreSQL backend takes a pool.
    return new Queue(name, { ...queueDefaults, connection: this.view as never }, factory) as unknown as Queue;
  }

  createWorker(name: QueueName, processor: Processor, tuning: WorkerTuning, bounds: JsonBounds): ContractWorker {
    const needed = this.workers + 1 + MIN_QUERY_CONNECTIONS;
    if (needed > this.pool.options.max) throw new QueuePoolTooSmall(this.pool.options.max, needed);
    this.workers += 1;
    const worker = new ContractWorker(
      name,
      processor,
      // PostgresWatch recovers the messages of dead workers and wakes workers that missed a notification, so the worker need not poll.
      {
        ...workerDefaults,
        drainDelay: LONG_POLL_SECONDS,
        ...tuning,
        skipStalledCheck: true,
        // The types of BullMQ name Redis connections; its PostgreSQL backend takes a pool.
        connection: this.view as never,
      },
      factory,
      bounds,
    );
    this.byQueue.set(name, worker);
    const { lockDuration: lockMs, stalledInterval: everyMs } = { ...workerDefaults, ...tuning };
    worker.once('ready', () => this.watch.add(name, { lockMs, everyMs }));
    return worker;
  }

  createTransport(): PostgresTransport {
    return new PostgresTransport(this.pool);
  }

  async runDurably(send: () => Promise<void>): Promise<void> {
    const client = await this.pool.connect();
    let hasFailed = true;
    try {
      await client.query('BEGIN; SET LOCAL synchronous_commit = on');
      await this.view.runInTransaction(client, send);
      await client.query('COMMIT');
      hasFailed = false;
    } finally {
      // After a failure the connection is closed, which also ends the transaction. A ROLLBACK might hang.
      client.release(hasFailed);
    }
  }

  runInTransaction(transaction: SqlTransaction, send: () => Promise<void>): Promise<void> {
    return this.view.runInTransaction(transaction, send);
  }

  async readDepths(names: readonly QueueName[]): Promise<Map<QueueName, QueueDepth>> {
    const { rows } = await this.view.query(depthsStatement, [names]);
    return new Map(
      (rows as DepthRow[]).map(({ queue, waiting, active, delayed, failed, oldest_age: oldestAge }) => [
        queue,
        {
          waiting,
          active,
          delayed,
          failed,
          oldestAgeMs: oldestAge === null ? undefined : Math.max(0, Number(oldestAge)),
        },
      ]),
    );
  }

  async countRecent(name: QueueName, withinMs: number): Promise<number> {
    const { rows } = await this.view.query(recentStatement, [name, withinMs]);
    return (rows as { recent: number }[])[0]?.recent ?? 0;
  }

  async has(name: QueueName, messageId: QueuedMessageId): Promise<boolean> {
    const { rows } = await this.view.query(hasStatement, [name, messageId, MISSING_AFTER_MS]);
    return rows.length > 0;
  }

  hasAnsweredRecently(): boolean {
    return this.watch.hasAnsweredRecently;
  }

  recoverStalled(): Promise<number> {
    return this.watch.recoverStalled(MISSING_AFTER_MS);
  }

  async listMessages(name: QueueName, limit: number): Promise<QueuedMessage[]> {
    const { rows } = await this.view.query(messagesStatement, [name, limit]);
    return (rows as MessageRow[]).map(({ id, state, data, sent, due, due_for: dueFor }) => ({
      queue: name,
      messageId: id,
      state,
      payload: data,
      sentAt: Number(sent),
      dueAt: Number(due),
      dueForMs: Number(dueFor),
    }));
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.watch.close();
    if (this.ownsPool) await this.pool.end();
    // The listener on our own pool stays: a socket may still fail, and an error event without a listener would end the process.
    else this.pool.off('error', this.reportIdleError);
  }

  private readonly reportIdleError = (error: Error): void => {
    if (!toConnectionLost(error)) this.onError(error);
  };

  private async check(): Promise<void> {
    const { rows } = await this.pool.query<{ path: string; exists: boolean; allowed: boolean }>(checkStatement, [
      QUEUE_SCHEMA,
    ]);
    const { path, exists, allowed } = rows[0]!;
    if (!exists) throw new QueuesNotMigrated(`This database has no queue tables (schema ${QUEUE_SCHEMA}).`);
    if (!allowed)
      throw new QueuesNotMigrated(
        `This login may not use the queue tables (schema ${QUEUE_SCHEMA}): it must be a member of phaseline_service.`,
      );
    if (!path.split(/,\s*/).includes(QUEUE_SCHEMA)) {
      throw new QueuesNotMigrated(
        `The search_path of the pool's connections does not include the schema ${QUEUE_SCHEMA} (search_path: ${path}).`,
      );
    }
  }
}

// BullMQ types its factories by the concrete backend.
const factory = createPostgresBackend as unknown as BackendFactory<IQueueBackend>;

function createPoolConfig({
  connectionString,
  maxConnections = queueNames.length + 1 + 2 * MIN_QUERY_CONNECTIONS,
  synchronousCommit = false,
}: PostgresBackendConfig): pg.PoolConfig {
  const url = new URL(connectionString);
  // Set in the URL: `options` in the URL would override `options` in the pool configuration.
  const settings = [
    url.searchParams.get('options') ?? '',
    `-c search_path=${QUEUE_SCHEMA}`,
    `-c synchronous_commit=${synchronousCommit ? 'on' : 'off'}`,
  ];
  url.searchParams.set('options', settings.join(' ').trim());
  return {
    connectionString: url.href,
    max: maxConnections,
    keepAlive: true,
    application_name: 'phaseline-queue',
    // A new connection costs about 5 ms and has to plan BullMQ's functions again, so idle connections are kept for five minutes.
    idleTimeoutMillis: 300_000,
    connectionTimeoutMillis: 5_000,
    // Far longer than any BullMQ statement takes; detects a server that disappeared without closing its connections.
    query_timeout: 15_000,
  };
}

interface DepthRow {
  queue: QueueName;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  oldest_age: string | null;
}

/** Counts the messages per queue. The age of a delayed message is measured from the time it became due. */
const depthsStatement = `
  SELECT q.queue,
         count(*) FILTER (WHERE j.state = 'waiting')::int AS waiting,
         count(*) FILTER (WHERE j.state = 'active')::int AS active,
         count(*) FILTER (WHERE j.state = 'delayed')::int AS delayed,
         count(*) FILTER (WHERE j.state = 'failed')::int AS failed,
         ${DATABASE_NOW_SQL} - min(greatest(j.added_at_ms, j.process_at_ms)) FILTER (WHERE j.state = 'waiting') AS oldest_age
    FROM unnest($1::text[]) AS q (queue) LEFT JOIN ${QUEUE_SCHEMA}.job j ON j.queue = q.queue
   GROUP BY q.queue`;

const recentStatement = `
  SELECT count(*)::int AS recent FROM ${QUEUE_SCHEMA}.job
   WHERE queue = $1 AND state IN ('waiting', 'active') AND greatest(added_at_ms, process_at_ms) >= ${DATABASE_NOW_SQL} - $2::bigint`;

interface MessageRow {
  id: string;
  state: QueuedMessage['state'];
  data: unknown;
  sent: string;
  due: string;
  due_for: string;
}

/** Finds an unfinished message, unless its lock expired too long ago. */
const hasStatement = `
  SELECT FROM ${QUEUE_SCHEMA}.job
   WHERE queue = $1 AND id = $2 AND state NOT IN ('completed', 'failed')
     AND NOT (state = 'active' AND locked_until_ms < ${DATABASE_NOW_SQL} - $3::bigint)`;

const messagesStatement = `
  SELECT m.*, ${DATABASE_NOW_SQL} - m.due AS due_for FROM unnest(ARRAY['waiting', 'active', 'delayed']::${QUEUE_SCHEMA}.job_state[]) AS s (state)
   CROSS JOIN LATERAL (
     SELECT j.id, j.state::text AS state, j.data, j.added_at_ms AS sent, greatest(j.added_at_ms, j.process_at_ms) AS due
       FROM ${QUEUE_SCHEMA}.job j WHERE j.queue = $1 AND j.state = s.state ORDER BY j.added_at_ms LIMIT $2
   ) AS m`;

const checkStatement = `
  SELECT current_setting('search_path') AS path,
         n.oid IS NOT NULL AND EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid AND c.relname = 'migration') AS exists,
         coalesce(has_schema_privilege(n.oid, 'USAGE'), false) AS allowed
    FROM (SELECT) AS one LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = $1`;
