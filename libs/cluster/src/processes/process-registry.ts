import { hostname } from 'node:os';
import type { ProcessId } from '@phaseline/contracts';
import { sql, type Expression, type Kysely, type RawBuilder } from 'kysely';
import type pg from 'pg';
import { throwDatabaseError, createKysely, type EventStoreTables } from '@phaseline/event-store';
import { DatabaseClock } from './database-clock.js';

export interface ProcessEntry {
  readonly processId: ProcessId;
  readonly service: string;
  /** When the operating system started it, by the clock of the database. */
  readonly startedAt: string;
  readonly heartbeatAt: string;
}

/** What a process found on its machine. What is absent is unknown: its release may not report it. */
export interface ProcessAbilities {
  /** Version of git; empty if it is not installed. */
  readonly git?: string;
  /** How it contains commands, as JSON. */
  readonly sandbox?: unknown;
}

/** What a process handles. */
interface ProcessLoad {
  /** Number of messages that it handles now. */
  readonly running: number;
  /** Maximum number of messages that it handles concurrently. */
  readonly concurrency: number;
  /** Messages that it finished in the last minutes, for queues whose rates cannot be computed from the log. */
  readonly handled: readonly {
    readonly queue: string;
    /** Number of the minute since 1970. */
    readonly minute: number;
    /** Finished messages that became due in this minute. */
    readonly due: number;
    /** Messages that were finished in this minute. */
    readonly done: number;
  }[];
}

/** A process according to its last heartbeat, dead or alive. */
export interface ProcessReport extends ProcessEntry {
  /** Version of its code; empty if not reported. */
  readonly version: string;
  /** Newest schema version that it can read, by event type; empty if not reported. */
  readonly schemaVersions: Readonly<Record<string, number>>;
  readonly host: string;
  /** Number of the process on its host; undefined if not reported. */
  readonly pid: number | undefined;
  /** Queues whose messages it handles; undefined if not reported. */
  readonly queues: readonly string[] | undefined;
  /** What it handled at its last heartbeat; undefined if not reported. */
  readonly load: ProcessLoad | undefined;
  /** Age of the last heartbeat in milliseconds, according to the clock of the database. */
  readonly silentForMs: number;
  /** Whether it counts as dead, so that others take over its work. */
  readonly isDead: boolean;
  /** Offset of its clock from the database's clock in milliseconds; undefined if not reported. */
  readonly clockAheadMs: number | undefined;
  /** Problems it reported that prevent it from working. */
  readonly problems: readonly string[];
  /** What it found on its machine. */
  readonly abilities: Readonly<ProcessAbilities>;
  /** Leases that it holds: streams, or `<stream>/<call>`. */
  readonly leases: readonly string[];
}

export interface ProcessRegistryOptions {
  /** Interval between heartbeats of a process that holds leases, in milliseconds; default 1 s. Three times as long when idle. */
  readonly heartbeatIntervalMs?: number;
  /** Called when a heartbeat fails. Heartbeats continue. */
  readonly onError?: (error: Error) => void;
  /** Version of the running code. */
  readonly version?: string;
  /** Newest schema version that this process can read, by event type. */
  readonly schemaVersions?: Readonly<Record<string, number>>;
  /** Returns the queues whose messages this process handles. Called before each heartbeat. */
  readonly queues?: () => readonly string[];
  /** Returns what this process handles. Called before each heartbeat. */
  readonly load?: () => ProcessLoad;
  /** Returns the problems that prevent the process from working. Called before each heartbeat. */
  readonly problems?: () => readonly string[];
  /** Clock of the process, for specs. */
  readonly clock?: () => Date;
}

const HEARTBEAT_INTERVAL_MS = 1_000;
/** Factor for the interval of an idle process. It has no work to take over, so its death may be noticed later. */
const IDLE_INTERVAL_FACTOR = 3;
/** Time for which a process keeps the shorter interval after its last work: the next message usually arrives immediately. */
const BUSY_FOR_MS = 5_000;
const CLEANUP_INTERVAL_MS = 600_000;
/**
 * Time without a heartbeat after which a process counts as dead. It exceeds the sum of a blocked event loop (5 s), the time to the next
 * heartbeat (1 s) and a second for the database to store it. It is short enough for others to take over within 10 s.
 */
export const DEAD_AFTER_MS = 7_000;
/** Maximum age of a heartbeat for `listAbandoned`. Work of processes that died earlier is found by searching the log. */
const ABANDONED_WITHIN_MS = DEAD_AFTER_MS + 60_000;
/** Time without a successful heartbeat after which a process counts as cut off from the database. Less than DEAD_AFTER_MS. */
const UNREACHABLE_AFTER_MS = 5_000;
/** Time that other processes have to recover after the first process recovers from an outage. */
const RECOVERY_MS = 3_000;
/** Maximum difference of the last heartbeats of processes that lose the database at the same time. */
const OUTAGE_TOLERANCE_MS = 2_000;
/** Age at which dead processes are deleted. Until then they help to find the cause. */
const DELETE_AFTER = '1 day';

/**
 * Tracks which processes are alive: each process writes heartbeats, and any process can check those of others. Ages are computed by the
 * database, so the clocks of machines need not agree.
 */
export class ProcessRegistry {
  private readonly db: Kysely<EventStoreTables>;
  private readonly timers = new Map<ProcessId, NodeJS.Timeout>();
  private readonly runningHeartbeats = new Map<ProcessId, Promise<void>>();
  private readonly leases = new Set<string>();
  private readonly identities = new Map<ProcessId, string>();
  private slots = 0;
  private reported: Readonly<ProcessAbilities> = {};
  private isAnyActive = true;
  private lastBeatAt: number | undefined;
  private busyUntil = -Infinity;
  private cleanedUpAt = -Infinity;
  /** Clock of the database, measured with every heartbeat. */
  readonly clock = new DatabaseClock();

  constructor(
    pool: pg.Pool,
    private readonly options: ProcessRegistryOptions = {},
  ) {
    this.db = createKysely(pool);
  }

  /** Writes a heartbeat now, and then periodically until `close`. The timer does not keep the process alive. */
  async heartbeat(processId: ProcessId, service: string): Promise<void> {
    await this.writeHeartbeat(processId, service);
    this.identities.set(processId, service);
    this.schedule(processId, service);
  }

  private schedule(processId: ProcessId, service: string): void {
    clearTimeout(this.timers.get(processId));
    const everyMs = this.options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS;
    const isBusy = this.leases.size > 0 || performance.now() < this.busyUntil;
    const intervalMs = isBusy ? everyMs : everyMs * IDLE_INTERVAL_FACTOR;
    const timer = setTimeout(() => this.beatNow(processId, service), intervalMs);
    timer.unref();
    this.timers.set(processId, timer);
  }

  private beatNow(processId: ProcessId, service: string): void {
    // One at a time: more heartbeats would not help a slow database.
    if (this.runningHeartbeats.has(processId) || !this.timers.has(processId)) return;
    const heartbeat = this.writeHeartbeat(processId, service)
      .catch((error: unknown) => {
        this.isAnyActive = true;
        this.options.onError?.(error as Error);
      })
      .finally(() => {
        this.runningHeartbeats.delete(processId);
        if (this.timers.has(processId)) this.schedule(processId, service);
      });
    this.runningHeartbeats.set(processId, heartbeat);
  }

  /** Lists processes whose last heartbeat is at most this old in milliseconds, sorted by id. */
  async listAlive(maxAgeMs: number): Promise<ProcessEntry[]> {
    const rows = await this.db
      .selectFrom('phaseline.processes')
      .selectAll()
      .where('heartbeat_at', '>=', timeBeforeNow(maxAgeMs))
      .orderBy('process_id')
      .execute()
      .catch(throwDatabaseError);
    return rows.map((row) => ({
      processId: row.process_id,
      service: row.service,
      startedAt: row.started_at.toISOString(),
      heartbeatAt: row.heartbeat_at.toISOString(),
    }));
  }

  /** Lists all known processes, including dead ones, sorted by service and id. */
  async listReports(): Promise<ProcessReport[]> {
    const rows = await this.db
      .selectFrom('phaseline.processes')
      .selectAll()
      .select(sql<string>`extract(epoch FROM clock_timestamp() - heartbeat_at) * 1000`.as('silent'))
      .orderBy('service')
      .orderBy('process_id')
      .execute()
      .catch(throwDatabaseError);
    return rows.map((row) => ({
      processId: row.process_id,
      service: row.service,
      version: row.version,
      schemaVersions: row.schema_versions,
      host: row.host,
      pid: row.pid ?? undefined,
      queues: row.queues ?? undefined,
      // Written by this class only.
      load: (row.load ?? undefined) as ProcessLoad | undefined,
      startedAt: row.started_at.toISOString(),
      heartbeatAt: row.heartbeat_at.toISOString(),
      silentForMs: Math.max(0, Math.round(Number(row.silent))),
      isDead: Number(row.silent) > DEAD_AFTER_MS,
      clockAheadMs: row.clock_at === null ? undefined : row.clock_at.getTime() - row.heartbeat_at.getTime(),
      problems: row.problems,
      // Other releases may report more.
      abilities: row.abilities as ProcessAbilities,
      leases: row.leases,
    }));
  }

  /** Time since the last heartbeat of this registry in milliseconds; undefined before the first one. */
  get sinceHeartbeatMs(): number | undefined {
    return this.lastBeatAt === undefined ? undefined : performance.now() - this.lastBeatAt;
  }

  async isAlive(processId: ProcessId, maxAgeMs: number): Promise<boolean> {
    const row = await this.db
      .selectFrom('phaseline.processes')
      .select('process_id')
      .where('process_id', '=', processId)
      .where('heartbeat_at', '>=', timeBeforeNow(maxAgeMs))
      .executeTakeFirst()
      .catch(throwDatabaseError);
    return row !== undefined;
  }

  /**
   * Whether any process held leases at the last heartbeat of this registry, or died with leases in the minute before; true if unknown.
   * A process is silent for seconds before it counts as dead, and it acquired its leases before that, so `listAbandoned` returns nothing
   * while this is false.
   */
  get hasActiveProcesses(): boolean {
    return this.isAnyActive;
  }

  /** Sets the number of phases that this process can run concurrently, for the following heartbeats. */
  setSlots(slots: number): void {
    this.slots = slots;
  }

  /** What this process found on its machine. */
  get abilities(): Readonly<ProcessAbilities> {
    return this.reported;
  }

  /** Reports what was found on the machine, now and with the following heartbeats. */
  setAbility<Name extends keyof ProcessAbilities>(name: Name, value: ProcessAbilities[Name]): void {
    this.reported = { ...this.reported, [name]: value };
    for (const [processId, service] of this.identities) this.beatNow(processId, service);
  }

  /** Adds a lease on a stream or on `<stream>/<call>` to the following heartbeats. */
  addLease(lease: string): void {
    const wasIdle = this.leases.size === 0;
    this.leases.add(lease);
    // Write a heartbeat now if the process was idle: with the longer interval, its death would be noticed later.
    const everyMs = this.options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS;
    if (!wasIdle || (this.sinceHeartbeatMs ?? 0) < everyMs) return;
    for (const [processId, service] of this.identities) this.beatNow(processId, service);
  }

  /** Removes a lease from the following heartbeats. */
  removeLease(lease: string): void {
    if (this.leases.delete(lease) && this.leases.size === 0) this.busyUntil = performance.now() + BUSY_FOR_MS;
  }

  /**
   * Whether a process holds a lease: it is alive, and its last heartbeat contains the lease, or is older than the last event of the
   * stream and could not contain it yet. During and right after a database outage, silent processes count as alive.
   */
  async isLeaseHeld(processId: ProcessId, lease: string): Promise<boolean> {
    if (this.isUnreachable()) return true;
    const row = await this.db
      .selectFrom('phaseline.processes as process')
      .leftJoin('phaseline.streams as stream', (join) => join.on('stream.stream_id', '=', lease.split('/', 1)[0]!))
      .select('process.process_id')
      .where('process.process_id', '=', processId)
      .where((on) =>
        on.or([
          on('process.heartbeat_at', '>=', timeBeforeNow(DEAD_AFTER_MS)),
          canRecover(on.ref('process.heartbeat_at')),
        ]),
      )
      .where((on) =>
        on.or([
          sql<boolean>`${lease} = ANY (process.leases)`,
          on('stream.updated_at', '>', on.ref('process.heartbeat_at')),
        ]),
      )
      .executeTakeFirst()
      .catch(throwDatabaseError);
    return row !== undefined;
  }

  /** Whether the last heartbeat of any process contains a lease, and this process is alive as in `isLeaseHeld`. */
  async isCallHeld(lease: string): Promise<boolean> {
    if (this.isUnreachable()) return true;
    const row = await this.db
      .selectFrom('phaseline.processes as process')
      .select('process.process_id')
      .where(sql<boolean>`${lease} = ANY (process.leases)`)
      .where((on) =>
        on.or([
          on('process.heartbeat_at', '>=', timeBeforeNow(DEAD_AFTER_MS)),
          canRecover(on.ref('process.heartbeat_at')),
        ]),
      )
      .executeTakeFirst()
      .catch(throwDatabaseError);
    return row !== undefined;
  }

  /**
   * Lists the leases of processes that died within the last minute, by process. Call it about every second to redispatch their work
   * quickly. Work of processes that died earlier must be found by searching the streams.
   */
  async listAbandoned(): Promise<{ readonly processId: ProcessId; readonly leases: readonly string[] }[]> {
    if (this.isUnreachable()) return [];
    const rows = await this.db
      .selectFrom('phaseline.processes as process')
      .select(['process_id', 'leases'])
      .where('heartbeat_at', '<', timeBeforeNow(DEAD_AFTER_MS))
      .where('heartbeat_at', '>', timeBeforeNow(ABANDONED_WITHIN_MS))
      .where((on) => on.not(canRecover(on.ref('process.heartbeat_at'))))
      .where(sql<boolean>`leases <> '{}'`)
      .orderBy('process_id')
      .execute()
      .catch(throwDatabaseError);
    return rows.map((row) => ({ processId: row.process_id, leases: row.leases }));
  }

  /** Stops the heartbeats and deletes the processes of this registry, so that others need not wait until they count as dead. */
  async close(): Promise<void> {
    const processIds = [...this.timers.keys()];
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    this.identities.clear();
    if (processIds.length === 0) return;
    // A running heartbeat would insert the row again.
    await Promise.all(this.runningHeartbeats.values());
    await this.db
      .deleteFrom('phaseline.processes')
      .where('process_id', 'in', processIds)
      .execute()
      .catch(throwDatabaseError);
  }

  /** Whether this process wrote its last heartbeat too long ago to tell whether others are dead. */
  private isUnreachable(): boolean {
    return (
      this.timers.size > 0 &&
      (this.sinceHeartbeatMs ?? 0) >
        Math.max(UNREACHABLE_AFTER_MS, 2 * (this.options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS))
    );
  }

  private async writeHeartbeat(processId: ProcessId, service: string): Promise<void> {
    const now = sql<Date>`clock_timestamp()`;
    const { version = '', problems = () => [], queues = () => [], load, clock = () => new Date() } = this.options;
    const columns = {
      service,
      version,
      host: hostname(),
      pid: process.pid,
      queues: [...queues()],
      ...(load === undefined ? {} : { load: JSON.stringify(load()) }),
      heartbeat_at: now,
      clock_at: clock(),
      problems: [...problems()],
      leases: [...this.leases],
      slots: this.slots,
      abilities: JSON.stringify(this.reported),
    };
    const requestedAt = this.clock.startObservation();
    const { database, isAnyActive } = await this.db
      .insertInto('phaseline.processes')
      .values({
        process_id: processId,
        started_at: sql<Date>`${now} - ${process.uptime()}::float8 * interval '1 second'`,
        schema_versions: JSON.stringify(this.options.schemaVersions ?? {}),
        ...columns,
      })
      .onConflict((conflict) =>
        conflict.column('process_id').doUpdateSet((row) => {
          const before = row.ref('phaseline.processes.heartbeat_at');
          const wasUnreachable = sql<boolean>`${before} < ${timeBeforeNow(UNREACHABLE_AFTER_MS)}`;
          return {
            ...columns,
            unreachable_from: sql<Date>`CASE WHEN ${wasUnreachable} THEN ${before} ELSE phaseline.processes.unreachable_from END`,
            recovered_at: sql<Date>`CASE WHEN ${wasUnreachable} THEN ${now} ELSE phaseline.processes.recovered_at END`,
          };
        }),
      )
      .returning([
        sql<string>`extract(epoch FROM clock_timestamp()) * 1000`.as('database'),
        sql<boolean>`EXISTS (SELECT FROM phaseline.processes AS other
          WHERE other.leases <> '{}' AND other.heartbeat_at > ${timeBeforeNow(ABANDONED_WITHIN_MS)})`.as('isAnyActive'),
      ])
      .executeTakeFirstOrThrow()
      .catch(throwDatabaseError);
    this.clock.observe(Number(database), requestedAt);
    this.isAnyActive = isAnyActive;
    this.lastBeatAt = performance.now();
    if (this.lastBeatAt - this.cleanedUpAt < CLEANUP_INTERVAL_MS) return;
    this.cleanedUpAt = this.lastBeatAt;
    await this.db
      .deleteFrom('phaseline.processes')
      .where('heartbeat_at', '<', sql<Date>`now() - ${DELETE_AFTER}::interval`)
      .execute()
      .catch(throwDatabaseError);
  }
}

function timeBeforeNow(ms: number): ReturnType<typeof sql<Date>> {
  return sql<Date>`clock_timestamp() - ${ms}::float8 * interval '1 millisecond'`;
}

/** Whether a process that has been silent since then became silent together with, or after, another one that has just recovered. */
function canRecover(silentSince: Expression<Date>): RawBuilder<boolean> {
  return sql<boolean>`EXISTS (
    SELECT FROM phaseline.processes AS other
    WHERE other.recovered_at > ${timeBeforeNow(RECOVERY_MS)}
      AND other.unreachable_from <= ${silentSince} + ${OUTAGE_TOLERANCE_MS}::float8 * interval '1 millisecond'
  )`;
}
