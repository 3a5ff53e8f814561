import type { JobId, StreamId } from '@phaseline/contracts';
import { jobStream, parseStreamName } from '@phaseline/domain';
import { queryRows, type ColdStorage } from '@phaseline/event-store';
import type pg from 'pg';
import { mergeByPosition, readArchivedEvents } from './archived-events.js';

/** Versions of a job's streams at a position of the log. */
export interface Moment {
  /** Position of the last event of the job at or before the requested position. */
  readonly position: number;
  readonly jobVersion: number;
  /** The last phase that had started, if its stream belongs to this job and not to its parent. */
  readonly phase?: { readonly streamId: StreamId; readonly phase: number; readonly version: number };
}

interface Row {
  readonly stream_id: StreamId;
  readonly version: string;
  readonly position: string;
  readonly transaction_id: string;
}

const NEWEST = Number.MAX_SAFE_INTEGER;
const PAGE_EVENTS = 64;

/** Reads backwards from a position, because the wanted event is nearly always among the last few. */
const BEFORE = {
  name: 'phaseline-events-before',
  text: `SELECT stream_id, version, position, transaction_id FROM phaseline.events
    WHERE correlation_id = $1 AND position <= $2 ORDER BY position DESC LIMIT ${PAGE_EVENTS}`,
};
const NEXT = {
  name: 'phaseline-event-behind',
  text: `SELECT stream_id, version, position, transaction_id FROM phaseline.events
    WHERE correlation_id = $1 AND position > $2 ORDER BY position LIMIT 1`,
};
const VERSION_AT = {
  name: 'phaseline-version-at',
  text: `SELECT version FROM phaseline.events WHERE stream_id = $1 AND position <= $2 ORDER BY version DESC LIMIT 1`,
};

/** Finds the versions of a job's streams at a position, with a few index look-ups, regardless of the length of the job. */
export class Moments {
  constructor(
    private readonly pool: pg.Pool,
    private readonly cold?: ColdStorage,
  ) {}

  /** Returns the moment at a position; `undefined` when the job had no event yet. */
  async findMoment(jobId: JobId, position = NEWEST): Promise<Moment | undefined> {
    const rows = await this.rowsBefore(jobId, position);
    const [last] = rows;
    if (!last) return undefined;
    const reached = Number(last.position);
    const [job] = await this.rows(VERSION_AT, [jobStream(jobId), reached]);
    if (!job) return undefined;
    const phase = await this.lastPhase(jobId, rows);
    return { position: reached, jobVersion: Number(job.version), ...(phase ? { phase } : {}) };
  }

  /**
   * Like `at`, but never inside a commit: events that were recorded together are included together or not at all,
   * because the job was never in a state between them.
   */
  async findCommit(jobId: JobId, position = NEWEST): Promise<Moment | undefined> {
    let rows = await this.rowsBefore(jobId, position);
    const next = rows[0] && (await this.nextRow(jobId, Number(rows[0].position)));
    if (!rows[0] || rows[0].transaction_id !== next?.transaction_id) return this.findMoment(jobId, position);
    while (rows.length > 0) {
      const whole = rows.find((row) => row.transaction_id !== next.transaction_id);
      if (whole) return this.findMoment(jobId, Number(whole.position));
      rows = await this.rowsBefore(jobId, Number(rows.at(-1)!.position) - 1);
    }
    return undefined;
  }

  private async lastPhase(jobId: JobId, rows: readonly Row[]): Promise<Moment['phase']> {
    for (let page = rows; page.length > 0;) {
      for (const row of page) {
        const name = parseStreamName(row.stream_id);
        if (name?.kind === 'phase') return { streamId: row.stream_id, phase: name.phase, version: Number(row.version) };
      }
      page = await this.rowsBefore(jobId, Number(page.at(-1)!.position) - 1);
    }
    return undefined;
  }

  /** Returns the last rows up to a position, newest first. */
  private async rowsBefore(jobId: JobId, position: number): Promise<Row[]> {
    const rows = await this.rows(BEFORE, [jobId, position]);
    const archived = (await this.archivedRows(jobId)).filter((row) => Number(row.position) <= position);
    return archived.length === 0 ? rows : mergeByPosition(rows, archived).reverse().slice(0, PAGE_EVENTS);
  }

  private async nextRow(jobId: JobId, position: number): Promise<Row | undefined> {
    const rows = await this.rows(NEXT, [jobId, position]);
    const archived = (await this.archivedRows(jobId)).filter((row) => Number(row.position) > position);
    return mergeByPosition(rows, archived)[0];
  }

  /** The stream of the job itself never moves, so only these rows can be in cold storage. */
  private async archivedRows(jobId: JobId): Promise<Row[]> {
    return (await readArchivedEvents(this.pool, jobId, this.cold)).map((event) => ({
      stream_id: event.streamId,
      version: String(event.version),
      position: String(event.position),
      transaction_id: String(event.transactionId),
    }));
  }

  private rows(statement: { name: string; text: string }, values: unknown[]): Promise<Row[]> {
    return queryRows(this.pool, { ...statement, values });
  }
}
