import { setTimeout as sleep } from 'node:timers/promises';
import { ControlListener } from '@phaseline/cluster';
import { jobIdSchema, type JobId } from '@phaseline/contracts';
import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';

/** Which jobs have new events, and whether these may change what waits for a person; or that changes may have been missed. */
export type JobChanges = ReadonlyMap<JobId, { readonly mayChangeInbox: boolean }> | 'missed';

export interface LiveChangeTimes {
  /** Minimum interval between two reports, and the delay of each, in milliseconds. */
  readonly shortest: number;
  /** Interval between reads of the log without a notification. Notifications tell of ends of phases and changes of jobs only. */
  readonly longest: number;
}

/** Maximum number of events per read; with more, changes count as missed. */
const MAX_EVENTS = 20_000;

const inboxTypes: readonly string[] = [
  ...[
    'ApprovalRequested',
    'ApprovalGranted',
    'ApprovalRefused',
    'QuestionAsked',
    'QuestionAnswered',
    'QuestionTimedOut',
  ],
  ...['TodoBlocked', 'TodoUnblocked', 'PhaseEnded', 'JobFailed', 'JobRetried', 'JobCancelRequested', 'JobCancelled'],
];

const NOW_SQL = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS upto';
/** Reads the tail of the log by transaction, as subscriptions do. Events of transactions that were open before may be read twice. */
const CHANGED_SQL = `WITH tail AS (
    SELECT correlation_id, type FROM phaseline.events WHERE transaction_id >= $1::xid8 ORDER BY transaction_id, position LIMIT ${MAX_EVENTS}
  )
  SELECT correlation_id AS "jobId", bool_or(type = ANY ($2)) AS "mayChangeInbox", count(*)::integer AS events FROM tail GROUP BY 1`;

interface ChangedRow {
  readonly jobId: string;
  readonly mayChangeInbox: boolean;
  readonly events: number;
}

/** Reports which jobs change, to any number of subscribers. While there are none, it reads nothing. */
export class LiveChanges {
  private readonly subscribers = new Set<(changes: JobChanges) => void>();
  private wake = Promise.withResolvers<void>();
  private stop: AbortController | undefined;
  private started = Promise.withResolvers<void>();
  private readonly unsubscribe: () => void;

  constructor(
    private readonly pool: pg.Pool,
    listener: Pick<ControlListener, 'subscribe'>,
    private readonly times: LiveChangeTimes,
    private readonly onError: (error: unknown) => void,
  ) {
    this.unsubscribe = listener.subscribe(() => this.wake.resolve());
  }

  /** Resolves when every later change will be reported to those who have subscribed. */
  get ready(): Promise<void> {
    return this.started.promise;
  }

  /** Calls back with changes until it is disposed. */
  subscribe(callback: (changes: JobChanges) => void): Disposable {
    this.subscribers.add(callback);
    if (!this.stop) {
      this.stop = new AbortController();
      this.started = Promise.withResolvers();
      void this.run(this.stop.signal);
    }
    return {
      [Symbol.dispose]: () => {
        this.subscribers.delete(callback);
        if (this.subscribers.size === 0) this.end();
      },
    };
  }

  close(): void {
    this.end();
    this.unsubscribe();
  }

  private end(): void {
    this.stop?.abort();
    this.stop = undefined;
    this.started.resolve();
  }

  private async run(signal: AbortSignal): Promise<void> {
    let from: string | undefined;
    while (!signal.aborted) {
      let changes: JobChanges = new Map();
      try {
        const upto = await this.readEnd();
        if (from !== undefined) changes = await this.readChanges(from);
        from = upto;
      } catch (error) {
        this.onError(error);
        changes = 'missed';
        from = undefined;
      }
      this.started.resolve();
      // Gives the read models time to catch up, because those who receive a hint read them at once.
      await pause(this.times.shortest, signal);
      if (!signal.aborted && (changes === 'missed' || changes.size > 0))
        for (const callback of this.subscribers) callback(changes);
      await this.waitForWake(signal);
    }
  }

  private async readEnd(): Promise<string> {
    const [row] = await queryRows<{ upto: string }>(this.pool, { text: NOW_SQL });
    return row!.upto;
  }

  private async readChanges(from: string): Promise<JobChanges> {
    const rows = await queryRows<ChangedRow>(this.pool, {
      name: 'phaseline-live-changes',
      text: CHANGED_SQL,
      values: [from, inboxTypes],
    });
    if (rows.reduce((sum, { events }) => sum + events, 0) >= MAX_EVENTS) return 'missed';
    // Streams of principals, guards and secrets are no jobs.
    return new Map(rows.filter(({ jobId }) => jobIdSchema.safeParse(jobId).success).map((row) => [row.jobId, row]));
  }

  /** Returns after a notification, or after the longest interval. */
  private async waitForWake(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    await Promise.race([
      this.wake.promise,
      pause(this.times.longest - this.times.shortest, AbortSignal.any([signal, woken.signal])),
    ]);
    woken.abort();
    this.wake = Promise.withResolvers<void>();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
