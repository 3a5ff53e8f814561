import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { AnswerWatcher, ControlListener } from '@phaseline/cluster';
import type { JobId } from '@phaseline/contracts';
import { InjectLogger, InjectPool } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { ApiProblem } from '../problem/api-problem.js';
import { LiveChanges } from './live-changes.js';
import { LiveConnection } from './live-connection.js';

/** Maximum number of live connections per caller. A browser needs one for all of its tabs. */
const MAX_CONNECTIONS_PER_CALLER = 20;
const TIMES = { shortest: 250, longest: 1_000 };

/** A connection that receives changes and answers until it is disposed. */
interface OpenConnection extends Disposable {
  readonly connection: LiveConnection;
  /** Resolves when the connection receives every later change. */
  readonly ready: Promise<void>;
}

/** Connects browsers with what changes: with the tail of the log, and with the answers of watched jobs. */
@Injectable()
export class LiveHub implements BeforeApplicationShutdown {
  private readonly changes: LiveChanges;
  private readonly answers: AnswerWatcher;
  private readonly connectionsPerCaller = new Map<string, number>();

  constructor(@InjectPool() pool: Pool, @InjectLogger() logger: Logger, listener: ControlListener) {
    this.changes = new LiveChanges(pool, listener, TIMES, (error) =>
      logger.warn({ error }, 'changes could not be read; browsers are told to read again'),
    );
    this.answers = new AnswerWatcher(pool, listener, (error) =>
      logger.debug({ error }, 'a watch of answers could not be announced; will retry'),
    );
  }

  /** Opens a connection. Throws ApiProblem `rate_limited` if the caller has too many. */
  open(callerId: string, watched: readonly JobId[]): OpenConnection {
    const count = this.connectionsPerCaller.get(callerId) ?? 0;
    if (count >= MAX_CONNECTIONS_PER_CALLER)
      throw new ApiProblem(
        'rate_limited',
        `${callerId} has ${count} live connections, which is the maximum. Close one; a browser needs one for all of its tabs.`,
        { headers: { 'retry-after': '5' } },
      );
    this.connectionsPerCaller.set(callerId, count + 1);
    const connection = new LiveConnection();
    const subscriptions = [
      this.changes.subscribe((changes) => connection.addChanges(changes)),
      ...watched.map((jobId) => this.answers.watch(jobId, (answer) => connection.addAnswer(answer))),
    ];
    return {
      connection,
      ready: this.changes.ready,
      [Symbol.dispose]: () => {
        for (const subscription of subscriptions.splice(0)) subscription[Symbol.dispose]();
        this.release(callerId);
      },
    };
  }

  /** Number of open connections. */
  get size(): number {
    return [...this.connectionsPerCaller.values()].reduce((sum, count) => sum + count, 0);
  }

  beforeApplicationShutdown(): void {
    this.changes.close();
    this.answers.close();
  }

  private release(callerId: string): void {
    const count = (this.connectionsPerCaller.get(callerId) ?? 1) - 1;
    if (count > 0) this.connectionsPerCaller.set(callerId, count);
    else this.connectionsPerCaller.delete(callerId);
  }
}
