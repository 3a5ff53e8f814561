import { hostname } from 'node:os';
import { sql, type Expression, type Kysely, type RawBuilder } from 'kysely';
import type pg from 'pg';
import { mapDatabaseError, kyselyOver, type EventStoreTables } from '@phaseline/event-store';
import { DatabaseClock } from './database-clock.js';

export interface ProcessEntry {
  readonly processId: string;
  readonly service: string;
  readonly startedAt: string;
  readonly heartbeatAt: string;
}

/** A process as its last heartbeat described it, whether or not it still lives. */
export interface ProcessReport extends ProcessEntry {
  /** Of the code that it runs; empty when it did not say. */
  readonly version: string;
  /** The newest version that it can read, by type of event; empty when it did not say. */
  readonly knows: Readonly<Record<string, number>>;
  readonly host: string;
  /** Age of the last heartbeat by the database's clock, in milliseconds. */
  readonly silentForMs: number;
  /** Whether others take its work over. */
  readonly dead: boolean;
  /** How far its clock is ahead of the database's, in milliseconds; undefined when it did not say. */
  readonly clockAheadMs: number | undefined;
  /** Why it could not work, by its own word. */
  readonly complaints: readonly string[];
  readonly holds: readonly string[];
}

export interface ProcessRegistryOptions {
  /** Time between two heartbeats of a process that works on something, in milliseconds; default 1 s. Idle it is three times as long. */
  readonly everyMs?: number;
  /** A heartbeat that failed; the next one is tried all the same. */
  readonly onError?: (error: Error) => void;
  /** Of the code that runs. */
  readonly version?: string;
  /** The newest version that it can read, by type of event. */
  readonly knows?: Readonly<Record<string, number>>;
  /** Why the process cannot work at the moment; asked before each heartbeat. */
  readonly complaints?: () => readonly string[];
  /** The clock of the process; for specs. */
  readonly clock?: () => Date;
}

const EVERY_MS = 1_000;
/** A process that works on nothing has nothing that could be taken over: it need not be noticed as fast. */
const IDLE_TIMES = 3;
/** One that let go of its last work keeps the shorter time for this long: the next message usually comes at once. */
const BUSY_FOR_MS = 5_000;
/** How often processes that are gone for a day are looked for. */
const FORGET_EVERY_MS = 600_000;
/**
 * A process without a heartbeat for this long is taken for dead: more than an event loop may be blocked (5 s) right before
 * its next heartbeat (1 s) with a second for the database to take it, and short enough that its work goes on elsewhere
 * within 10 s.
 */
export const DEAD_AFTER_MS = 7_000;
/** What processes worked on that died longer ago is found by searching the log. */
const ABANDONED_WITHIN_MS = DEAD_AFTER_MS + 60_000;
/** A process whose heartbeats could not be written for longer was away. Shorter breaks make nobody look dead. */
const AWAY_AFTER_MS = 5_000;
/** So long after one process is back the others that fell silent with it have time to come back too. */
const BACK_WITHIN_MS = 3_000;
/** Heartbeats of processes that lose the database at the same moment differ by the time between two of them. */
const TOGETHER_MS = 2_000;
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
  private readonly identities = new Map<string, string>();
  private slots = 0;
  private works = true;
  private lastBeatAt: number | undefined;
  private heldUntil = -Infinity;
  private forgotAt = -Infinity;
  /** The database's clock, measured with every heartbeat. */
  readonly clock = new DatabaseClock();

  constructor(
    pool: pg.Pool,
    private readonly options: ProcessRegistryOptions = {},
  ) {
    this.db = kyselyOver(pool);
  }

  /** Writes the first heartbeat and goes on until `close`. The timer does not keep the process alive. */
  async heartbeat(processId: string, service: string): Promise<void> {
    await this.beat(processId, service);
    this.identities.set(processId, service);
    this.schedule(processId, service);
  }

  private schedule(processId: string, service: string): void {
    clearTimeout(this.timers.get(processId));
    const everyMs = this.options.everyMs ?? EVERY_MS;
    const busy = this.holdings.size > 0 || performance.now() < this.heldUntil;
    const timer = setTimeout(() => this.beatNow(processId, service), busy ? everyMs : everyMs * IDLE_TIMES);
    timer.unref();
    this.timers.set(processId, timer);
  }

  private beatNow(processId: string, service: string): void {
    // One at a time: a slow database is not helped by more of them.
    if (this.beating.has(processId) || !this.timers.has(processId)) return;
    const beat = this.beat(processId, service)
      .catch((error: unknown) => {
        this.works = true;
        this.options.onError?.(error as Error);
      })
      .finally(() => {
        this.beating.delete(processId);
        if (this.timers.has(processId)) this.schedule(processId, service);
      });
    this.beating.set(processId, beat);
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

  /** Every process that is not forgotten, the dead ones too, by service and id. */
  async report(): Promise<ProcessReport[]> {
    const rows = await this.db
      .selectFrom('phaseline.processes')
      .selectAll()
      .select(sql<string>`extract(epoch FROM clock_timestamp() - heartbeat_at) * 1000`.as('silent'))
      .orderBy('service')
      .orderBy('process_id')
      .execute()
      .catch(rethrow);
    return rows.map((row) => ({
      processId: row.process_id,
      service: row.service,
      version: row.version,
      knows: row.knows,
      host: row.host,
      startedAt: row.started_at.toISOString(),
      heartbeatAt: row.heartbeat_at.toISOString(),
      silentForMs: Math.max(0, Math.round(Number(row.silent))),
      dead: Number(row.silent) > DEAD_AFTER_MS,
      clockAheadMs: row.clock_at === null ? undefined : row.clock_at.getTime() - row.heartbeat_at.getTime(),
      complaints: row.complaints,
      holds: row.holds,
    }));
  }

  /** How long ago the last heartbeat of this registry was written, in milliseconds; undefined before the first one. */
  get sinceBeatMs(): number | undefined {
    return this.lastBeatAt === undefined ? undefined : performance.now() - this.lastBeatAt;
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

  /**
   * Whether any process works on something, or died with it within the last minute, as of the last heartbeat of this registry; true
   * when that is not known. A process dies later than it took its work, and is silent for seconds before it counts as dead, so
   * `abandoned` need not be called while this is false.
   */
  get someoneWorks(): boolean {
    return this.works;
  }

  /** From now on the heartbeats say how many phases this process works on side by side. */
  offer(slots: number): void {
    this.slots = slots;
  }

  /** From now on the heartbeats say that this process works on it: a stream, or `<stream>/<call>`. */
  add(holding: string): void {
    const wasIdle = this.holdings.size === 0;
    this.holdings.add(holding);
    // The pause of an idle process is longer: it would be noticed later that it died right after it took something.
    const everyMs = this.options.everyMs ?? EVERY_MS;
    if (!wasIdle || (this.sinceBeatMs ?? 0) < everyMs) return;
    for (const [processId, service] of this.identities) this.beatNow(processId, service);
  }

  remove(holding: string): void {
    if (this.holdings.delete(holding) && this.holdings.size === 0) this.heldUntil = performance.now() + BUSY_FOR_MS;
  }

  /**
   * Whether a process still works on something: it lives, and its last heartbeat named it, or is older than the last event
   * of the stream and could not name it yet. While nobody can tell a dead process from one that the database was away from,
   * it counts as living.
   */
  async isHeld(processId: string, holding: string): Promise<boolean> {
    if (this.isAway()) return true;
    const row = await this.db
      .selectFrom('phaseline.processes as process')
      .leftJoin('phaseline.streams as stream', (join) => join.on('stream.stream_id', '=', holding.split('/', 1)[0]!))
      .select('process.process_id')
      .where('process.process_id', '=', processId)
      .where((on) =>
        on.or([on('process.heartbeat_at', '>=', ago(DEAD_AFTER_MS)), mayComeBack(on.ref('process.heartbeat_at'))]),
      )
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

  /**
   * What processes worked on that have died within the last minute, by process. Whoever looks every second or so can send
   * their work on at once; what has been dead for longer is found by looking at the streams.
   */
  async abandoned(): Promise<{ readonly processId: string; readonly holds: readonly string[] }[]> {
    if (this.isAway()) return [];
    const rows = await this.db
      .selectFrom('phaseline.processes as process')
      .select(['process_id', 'holds'])
      .where('heartbeat_at', '<', ago(DEAD_AFTER_MS))
      .where('heartbeat_at', '>', ago(ABANDONED_WITHIN_MS))
      .where((on) => on.not(mayComeBack(on.ref('process.heartbeat_at'))))
      .where(sql<boolean>`holds <> '{}'`)
      .orderBy('process_id')
      .execute()
      .catch(rethrow);
    return rows.map((row) => ({ processId: row.process_id, holds: row.holds }));
  }

  /** Stops the heartbeats and takes this registry's processes out, so that nobody waits for them to grow old. */
  async close(): Promise<void> {
    const processIds = [...this.timers.keys()];
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    this.identities.clear();
    if (processIds.length === 0) return;
    // A heartbeat that is under way would put the row back.
    await Promise.all(this.beating.values());
    await this.db.deleteFrom('phaseline.processes').where('process_id', 'in', processIds).execute().catch(rethrow);
  }

  /** Whether this process itself could write no heartbeat for so long that it cannot judge others by theirs. */
  private isAway(): boolean {
    return (
      this.timers.size > 0 && (this.sinceBeatMs ?? 0) > Math.max(AWAY_AFTER_MS, 2 * (this.options.everyMs ?? EVERY_MS))
    );
  }

  private async beat(processId: string, service: string): Promise<void> {
    const now = sql<Date>`clock_timestamp()`;
    const { version = '', complaints = () => [], clock = () => new Date() } = this.options;
    const said = {
      service,
      version,
      host: hostname(),
      heartbeat_at: now,
      clock_at: clock(),
      complaints: [...complaints()],
      holds: [...this.holdings],
      slots: this.slots,
    };
    const askedAt = this.clock.ask();
    const { database, works } = await this.db
      .insertInto('phaseline.processes')
      .values({ process_id: processId, started_at: now, knows: JSON.stringify(this.options.knows ?? {}), ...said })
      .onConflict((conflict) =>
        conflict.column('process_id').doUpdateSet((row) => {
          const before = row.ref('phaseline.processes.heartbeat_at');
          const away = sql<boolean>`${before} < ${ago(AWAY_AFTER_MS)}`;
          return {
            ...said,
            away_from: sql<Date>`CASE WHEN ${away} THEN ${before} ELSE phaseline.processes.away_from END`,
            back_at: sql<Date>`CASE WHEN ${away} THEN ${now} ELSE phaseline.processes.back_at END`,
          };
        }),
      )
      .returning([
        sql<string>`extract(epoch FROM clock_timestamp()) * 1000`.as('database'),
        sql<boolean>`EXISTS (SELECT FROM phaseline.processes AS other
          WHERE other.holds <> '{}' AND other.heartbeat_at > ${ago(ABANDONED_WITHIN_MS)})`.as('works'),
      ])
      .executeTakeFirstOrThrow()
      .catch(rethrow);
    this.clock.observe(Number(database), askedAt);
    this.works = works;
    this.lastBeatAt = performance.now();
    if (this.lastBeatAt - this.forgotAt < FORGET_EVERY_MS) return;
    this.forgotAt = this.lastBeatAt;
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

/** Whether a process that was silent since then fell silent with, or behind, another one that has just come back. */
function mayComeBack(silentSince: Expression<Date>): RawBuilder<boolean> {
  return sql<boolean>`EXISTS (
    SELECT FROM phaseline.processes AS other
    WHERE other.back_at > ${ago(BACK_WITHIN_MS)}
      AND other.away_from <= ${silentSince} + ${TOGETHER_MS}::float8 * interval '1 millisecond'
  )`;
}

function rethrow(error: unknown): never {
  throw mapDatabaseError(error);
}
