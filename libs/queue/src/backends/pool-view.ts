import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import { boundedTypes } from './bounded-json.js';
import { asConnectionLost } from './connection-lost.js';
import type { ConnectionLost } from './connection-lost.js';
import { withDatabaseTime } from './database-time.js';
import type { RewrittenStatement } from './database-time.js';
import type { SqlTransaction } from './queue-backend.js';

interface Result {
  rows: unknown[];
  rowCount?: number | null;
}

/** The functions of BullMQ's schema that store messages. They find their tables from any search_path when called by full name. */
const storingFunction = /\b(add_job|add_jobs_bulk|add_flow)\(/;

/**
 * What BullMQ is given in the place of a `pg.Pool`. It adds five things: statements join the transaction that `inside` names,
 * statements are prepared once per connection, times come from the database, lost connections look alike, and a message that
 * passes all bounds comes as its text.
 */
export class PoolView {
  // BullMQ reads this to decide how long a worker may block.
  readonly options = { keepAlive: true };
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #watch: (lost: ConnectionLost | undefined) => void;
  readonly #transaction = new AsyncLocalStorage<SqlTransaction>();
  readonly #statements = new Map<string, RewrittenStatement & { readonly name: string }>();
  readonly #listening = new Set<PoolClient>();

  /** @param watch called after every statement of our own, with the error when the server could not be reached */
  constructor(pool: Pool, schema: string, watch: (lost: ConnectionLost | undefined) => void) {
    this.#pool = pool;
    this.#schema = schema;
    this.#watch = watch;
  }

  /** Runs `send`; everything it stores through this view becomes part of `transaction`. Await all of it inside. */
  inside<T>(transaction: SqlTransaction, send: () => Promise<T>): Promise<T> {
    return this.#transaction.run(transaction, send);
  }

  async query(text: string, values?: readonly unknown[]): Promise<Result> {
    const transaction = this.#transaction.getStore();
    if (transaction) {
      if (!storingFunction.test(text))
        throw new Error(`BullMQ wanted to run a statement in the transaction that does not store messages: ${text}`);
      const storing = this.#statement(text);
      return transaction.query(
        storing.text.replace(storingFunction, `${this.#schema}.$1(`),
        storing.values(values ?? []),
      );
    }
    return this.#guarded(() => {
      if (!values) return this.#pool.query(text);
      const { name, ...rewritten } = this.#statement(text);
      return this.#pool.query({ name, text: rewritten.text, values: rewritten.values(values), types: boundedTypes });
    });
  }

  /** For the connection that a worker listens on. */
  async connect(): Promise<PoolClient> {
    const client = await this.#guarded(() => this.#pool.connect());
    this.#listening.add(client);
    client.once('end', () => this.#listening.delete(client));
    return client;
  }

  /** Wakes the workers of this process that wait for a message of the queue, as a notification of the database does. */
  wake(queue: string): void {
    for (const client of this.#listening) client.emit('notification', { channel: 'bullmq_jobs', payload: queue });
  }

  /** The pool belongs to the backend, which ends it when the last worker is down. */
  async end(): Promise<void> {}

  /** BullMQ listens for errors of idle connections; the backend does that once for all. */
  on(): this {
    return this;
  }

  removeAllListeners(): this {
    return this;
  }

  async #guarded<T>(run: () => Promise<T>): Promise<T> {
    try {
      const result = await run();
      this.#watch(undefined);
      return result;
    } catch (error) {
      const lost = asConnectionLost(error);
      if (!lost) throw error;
      this.#watch(lost);
      throw lost;
    }
  }

  #statement(text: string): RewrittenStatement & { readonly name: string } {
    let known = this.#statements.get(text);
    if (known === undefined) {
      known = { name: `bullmq_${this.#statements.size}`, ...withDatabaseTime(text) };
      this.#statements.set(text, known);
    }
    return known;
  }
}
