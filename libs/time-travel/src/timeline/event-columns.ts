import type { JobId } from '@phaseline/contracts';
import { queryRows, type ColdStorage, type StoredEvent } from '@phaseline/event-store';
import type pg from 'pg';
import { mergeByPosition, readArchivedEvents } from '../moment/archived-events.js';

/** The events of a job without their data, one entry per event in each list. */
export interface EventColumns {
  readonly positions: number[];
  /** Milliseconds since 1970. */
  readonly times: number[];
  readonly types: string[];
  /** Number of the phase; 0 for an event of the job itself. */
  readonly phases: number[];
}

/** Events per query, so that a long job does not block the event loop while its rows are parsed. */
const PAGE_EVENTS = 10_000;
/** Events whose columns are kept in memory. With the lanes of their timeline they take about 100 bytes each. */
const MAX_KEPT_EVENTS = 500_000;

/**
 * Reads columns alone: no data is parsed. A page arrives as one text with a line per event, which takes a fraction of the time of as many
 * rows. Names of phase streams have the number of the phase after `phase-`, the id and `-`; other names are shorter.
 */
const READ = {
  name: 'phaseline-event-columns',
  text: `SELECT string_agg(
      concat_ws(' ', position, round(date_part('epoch', recorded_at) * 1000), type, substr(stream_id, 44)), E'\\n' ORDER BY position
    ) AS lines
    FROM (
      SELECT position, recorded_at, type, stream_id FROM phaseline.events
      WHERE correlation_id = $1 AND position > $2 ORDER BY position LIMIT ${PAGE_EVENTS}
    ) AS page`,
};

interface Columns {
  readonly position: number;
  readonly time: number;
  readonly type: string;
  readonly phase: number;
}

/** Start of the number in the name of a phase stream. */
const PHASE_NUMBER_AT = 43;

function toColumns({ position, recordedAt, type, streamId }: StoredEvent): Columns {
  // Rounded to milliseconds, as the database does; a Date would cut off the microseconds.
  const time = Date.parse(`${recordedAt.slice(0, 23)}Z`) + Math.round(Number(recordedAt.slice(23, 26)) / 1_000);
  return { position, time, type, phase: Number(streamId.slice(PHASE_NUMBER_AT)) };
}

interface Entry {
  readonly columns: EventColumns;
  loading: Promise<EventColumns> | undefined;
}

/**
 * Reads types, times and positions of the events of jobs. They never change, so those that were read are kept, and only later events are
 * read again; the columns of the jobs that were not used for longest are dropped.
 */
export class EventColumnReader {
  private readonly entries = new Map<JobId, Entry>();
  /** Each type is kept once, however many events have it. */
  private readonly knownTypes = new Map<string, string>();

  constructor(
    private readonly pool: pg.Pool,
    private readonly cold?: ColdStorage,
  ) {}

  /** Returns the columns of all events of a job. The lists grow with later reads. */
  async read(jobId: JobId): Promise<EventColumns> {
    const entry = this.entries.get(jobId) ?? { columns: createColumns(), loading: undefined };
    this.entries.delete(jobId);
    this.entries.set(jobId, entry);
    // Two requests for a job must not append the same events twice.
    entry.loading ??= this.extend(jobId, entry.columns).finally(() => (entry.loading = undefined));
    const columns = await entry.loading;
    this.dropUnused(jobId);
    return columns;
  }

  private async extend(jobId: JobId, columns: EventColumns): Promise<EventColumns> {
    const after = columns.positions.at(-1) ?? 0;
    const ofLog: Columns[] = [];
    for (;;) {
      const values = [jobId, ofLog.at(-1)?.position ?? after];
      const [page] = await queryRows<{ readonly lines: string | null }>(this.pool, { ...READ, values });
      const lines = page?.lines?.split('\n') ?? [];
      for (const line of lines) {
        const [position, time, type = '', phase] = line.split(' ');
        ofLog.push({ position: Number(position), time: Number(time), type, phase: Number(phase) });
      }
      if (lines.length < PAGE_EVENTS) break;
    }
    const archived = (await readArchivedEvents(this.pool, jobId, this.cold)).filter(({ position }) => position > after);
    for (const event of archived.length === 0 ? ofLog : mergeByPosition(ofLog, archived.map(toColumns))) {
      columns.positions.push(event.position);
      columns.times.push(event.time);
      columns.types.push(this.shareType(event.type));
      columns.phases.push(event.phase);
    }
    return columns;
  }

  private shareType(type: string): string {
    const known = this.knownTypes.get(type);
    if (known !== undefined) return known;
    this.knownTypes.set(type, type);
    return type;
  }

  private dropUnused(used: JobId): void {
    let kept = [...this.entries.values()].reduce((sum, { columns }) => sum + columns.positions.length, 0);
    for (const [jobId, { columns }] of this.entries) {
      if (kept <= MAX_KEPT_EVENTS) return;
      if (jobId === used) continue;
      kept -= columns.positions.length;
      this.entries.delete(jobId);
    }
  }
}

function createColumns(): EventColumns {
  return { positions: [], times: [], types: [], phases: [] };
}
