import { sql, type Kysely } from 'kysely';
import type pg from 'pg';
import { mapDatabaseError } from '../database/database-errors.js';
import { kyselyOver } from '../database/kysely.js';
import type { EventStoreTables } from '../database/tables.js';

export interface ProcessEntry {
  readonly processId: string;
  readonly service: string;
  readonly startedAt: string;
  readonly heartbeatAt: string;
}

export interface ProcessRegistryOptions {
  /** Time between two heartbeats, in milliseconds; default 2 s. */
  readonly everyMs?: number;
  /** A heartbeat that failed; the next one is tried all the same. */
  readonly onError?: (error: Error) => void;
}

const EVERY_MS = 2_000;
/**
 * A process without a heartbeat for this long is taken for dead: more than an event loop may be blocked (5 s) and a
 * heartbeat may be late (2 s), and short enough that its work goes on elsewhere within 10 s.
 */
const DEAD_AFTER_MS = 7_000;
/** A process that died without a word is forgotten after a day; until then it helps whoever looks for the reason. */
const FORGET_AFTER = '1 day';

/**
 * Who is alive: each process writes a heartbeat, and anybody can ask how old another's is. Ages are measured by the
 * database's clock alone, so the clocks of the machines need not agree.
 */
export class ProcessRegistry {
  private readonly db: Kysely<EventStoreTables>;
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly beating = new Map<string, Promise<void>>();
  private readonly holdings = new Set<string>();

  constructor(
    pool: pg.Pool,
    private readonly options: ProcessRegistryOptions = {},
  ) {
    this.db = kyselyOver(pool);
  }

  /** Writes the first heartbeat and goes on until `close`. The timer does not keep the process alive. */
  async heartbeat(processId: string, service: string): Promise<void> {
    await this.beat(processId, service);
    clearInterval(this.timers.get(processId));
    const timer = setInterval(() => {
      // One at a time: a slow database is not helped by more of them.
      if (this.beating.has(processId)) return;
      const beat = this.beat(processId, service)
        .catch((error: unknown) => this.options.onError?.(error as Error))
        .finally(() => this.beating.delete(processId));
      this.beating.set(processId, beat);
    }, this.options.everyMs ?? EVERY_MS);
    timer.unref();
    this.timers.set(processId, timer);
  }

  /** Processes whose last heartbeat is at most this old, in milliseconds, by id. */
  async aliveProcesses(maxAgeMs: number): Promise<ProcessEntry[]> {
    const rows = await this.db
      .selectFrom('phaseline.processes')
      .selectAll()
      .where('heartbeat_at', '>=', ago(maxAgeMs))
      .orderBy('process_id')
      .execute()
      .catch(rethrow);
    return rows.map((row) => ({
      processId: row.process_id,
      service: row.service,
      startedAt: row.started_at.toISOString(),
      heartbeatAt: row.heartbeat_at.toISOString(),
    }));
  }

  async isAlive(processId: string, maxAgeMs: number): Promise<boolean> {
    const row = await this.db
      .selectFrom('phaseline.processes')
      .select('process_id')
      .where('process_id', '=', processId)
      .where('heartbeat_at', '>=', ago(maxAgeMs))
      .executeTakeFirst()
      .catch(rethrow);
    return row !== undefined;
  }

  /** From now on the heartbeats say that this process works on it: a stream, or `<stream>/<call>`. */
  add(holding: string): void {
    this.holdings.add(holding);
  }

  remove(holding: string): void {
    this.holdings.delete(holding);
  }

  /**
   * Whether a process still works on something: it lives, and its last heartbeat named it, or is older than the last event
   * of the stream and could not name it yet.
   */
  async isHeld(processId: string, holding: string): Promise<boolean> {
    const row = await this.db
      .selectFrom('phaseline.processes as process')
      .leftJoin('phaseline.streams as stream', (join) => join.on('stream.stream_id', '=', holding.split('/', 1)[0]!))
      .select('process.process_id')
      .where('process.process_id', '=', processId)
      .where('process.heartbeat_at', '>=', ago(DEAD_AFTER_MS))
      .where((on) =>
        on.or([
          sql<boolean>`${holding} = ANY (process.holds)`,
          on('stream.updated_at', '>', on.ref('process.heartbeat_at')),
        ]),
      )
      .executeTakeFirst()
      .catch(rethrow);
    return row !== undefined;
  }

  /** Stops the heartbeats and takes this registry's processes out, so that nobody waits for them to grow old. */
  async close(): Promise<void> {
    const processIds = [...this.timers.keys()];
    for (const timer of this.timers.values()) clearInterval(timer);
    this.timers.clear();
    if (processIds.length === 0) return;
    // A heartbeat that is under way would put the row back.
    await Promise.all(this.beating.values());
    await this.db.deleteFrom('phaseline.processes').where('process_id', 'in', processIds).execute().catch(rethrow);
  }

  private async beat(processId: string, service: string): Promise<void> {
    const now = sql<Date>`clock_timestamp()`;
    const holds = [...this.holdings];
    await this.db
      .insertInto('phaseline.processes')
      .values({ process_id: processId, service, started_at: now, heartbeat_at: now, holds })
      .onConflict((conflict) => conflict.column('process_id').doUpdateSet({ service, heartbeat_at: now, holds }))
      .execute()
      .catch(rethrow);
    await this.db
      .deleteFrom('phaseline.processes')
      .where('heartbeat_at', '<', sql<Date>`now() - ${FORGET_AFTER}::interval`)
      .execute()
      .catch(rethrow);
  }
}

function ago(ms: number): ReturnType<typeof sql<Date>> {
  return sql<Date>`clock_timestamp() - ${ms}::float8 * interval '1 millisecond'`;
}

function rethrow(error: unknown): never {
  throw mapDatabaseError(error);
}
