import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import { boundedTypes } from './bounded-json.js';
import { toConnectionLost, type ConnectionLost } from './connection-lost.js';
import { withDatabaseTime, type RewrittenStatement } from './database-time.js';
import type { SqlTransaction } from './queue-backend.js';

interface Result {
  rows: unknown[];
  rowCount?: number | null;
}

/** Functions of BullMQ's schema that store messages. With a schema-qualified name they work under any search_path. */
const storingFunction = /\b(add_job|add_jobs_bulk|add_flow)\(/;

/**
 * Wrapper of a `pg.Pool` that is passed to BullMQ. It runs statements in the transaction given to `inside`, prepares statements once
 * per connection, uses the database's time, converts connection errors to ConnectionLost, and returns oversized messages as text.
 */
export class PoolView {
  // BullMQ reads this option to decide how long a worker may block.
  readonly options = { keepAlive: true };
  private readonly transaction = new AsyncLocalStorage<SqlTransaction>();
  private readonly statements = new Map<string, RewrittenStatement & { readonly name: string }>();
  private readonly listening = new Set<PoolClient>();

  /** @param watch called after every statement outside a caller's transaction; receives the error if the server could not be reached */
  constructor(
    private readonly pool: Pool,
    private readonly schema: string,
    private readonly watch: (lost: ConnectionLost | undefined) => void,
  ) {}

  /** Runs `send`; everything it stores through this view becomes part of `transaction`. `send` must await all its statements. */
  runInTransaction<T>(transaction: SqlTransaction, send: () => Promise<T>): Promise<T> {
    return this.transaction.run(transaction, send);
  }

  async query(text: string, values?: readonly unknown[]): Promise<Result> {
    const transaction = this.transaction.getStore();
    if (transaction) {
      if (!storingFunction.test(text))
        throw new Error(`BullMQ tried to run a statement in the transaction that does not store messages: ${text}`);
      const storing = this.rewrite(text);
      return transaction.query(
        storing.text.replace(storingFunction, `${this.schema}.$1(`),
        storing.values(values ?? []),
      );
    }
    return this.runWatched(() => {
      if (!values) return this.pool.query(text);
      const { name, ...rewritten } = this.rewrite(text);
      return this.pool.query({ name, text: rewritten.text, values: rewritten.values(values), types: boundedTypes });
    });
  }

  /** Opens the connection on which a worker listens for notifications. */
  async connect(): Promise<PoolClient> {
    const client = await this.runWatched(() => this.pool.connect());
    this.listening.add(client);
    client.once('end', () => this.listening.delete(client));
    return client;
  }

  /** Wakes this process's workers that wait for a message of the queue, as a database notification would. */
  wake(queue: string): void {
    for (const client of this.listening) client.emit('notification', { channel: 'bullmq_jobs', payload: queue });
  }

  /** Does nothing: the backend ends the pool after the last worker has closed. */
  async end(): Promise<void> {}

  /** Ignores listeners: BullMQ adds them for errors of idle connections, which the backend handles. */
  on(): this {
    return this;
  }

  removeAllListeners(): this {
    return this;
  }

  private async runWatched<T>(run: () => Promise<T>): Promise<T> {
    try {
      const result = await run();
      this.watch(undefined);
      return result;
    } catch (error) {
      const lost = toConnectionLost(error);
      if (!lost) throw error;
      this.watch(lost);
      throw lost;
    }
  }

  private rewrite(text: string): RewrittenStatement & { readonly name: string } {
    let known = this.statements.get(text);
    if (known === undefined) {
      known = { name: `bullmq_${this.statements.size}`, ...withDatabaseTime(text) };
      this.statements.set(text, known);
    }
    return known;
  }
}
