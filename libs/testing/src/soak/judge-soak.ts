import type { createPool } from '@phaseline/event-store';
import { fate, type Journal } from './journal.js';
import { EVERYBODY, parseSoakEventId, soakStreamId, streamNumber } from './soak-ids.js';

type Pool = ReturnType<typeof createPool>;

export interface SoakVerdict {
  readonly events: number;
  readonly streams: number;
  readonly acknowledgedEvents: number;
  /** Events whose writer never heard what became of them: how many there are, and how many are in the log. */
  readonly unknownEvents: number;
  readonly unknownFound: number;
  readonly refusedEvents: number;
  /** The first ones; nothing when all holds. */
  readonly problems: readonly string[];
  readonly problemCount: number;
}

const PAGE = 20_000;
const SHOWN = 20;

/**
 * Holds the log against the journals: in every stream versions 1 to n without a gap, every acknowledged event once and where
 * it was said to be, no refused one, of the rest whole commands or nothing, nothing that nobody sent, and nothing behind
 * the last word of a stream.
 */
export async function judgeSoak(pool: Pool, seed: number, journals: readonly Journal[]): Promise<SoakVerdict> {
  const problems: string[] = [];
  let problemCount = 0;
  const complain = (problem: string): void => {
    problemCount += 1;
    if (problems.length < SHOWN) problems.push(problem);
  };
  const seen = journals.map((journal) => new Uint8Array(journal.length));
  const begun = new Set<number>();
  const streams = { count: 0, events: 0, last: '', version: 0 };

  for await (const { eventId, streamId, version } of allEvents(pool)) {
    streams.events += 1;
    if (streamId !== streams.last) {
      streams.count += 1;
      streams.version = 0;
    }
    if (version !== streams.version + 1) complain(`${streamId} goes from version ${streams.version} to ${version}`);
    streams.last = streamId;
    streams.version = version;
    const id = parseSoakEventId(eventId);
    if (id?.writer === EVERYBODY) {
      if (begun.has(id.sequence)) complain(`job ${id.sequence} was begun twice`);
      begun.add(id.sequence);
      if (streamId !== soakStreamId(seed, streamNumber(id.sequence, 0)) || version !== 1)
        complain(`${eventId} stands at ${streamId} ${version}`);
      continue;
    }
    const journal = id && journals[id.writer];
    if (!journal || id.sequence >= journal.length) {
      complain(`nobody has sent ${eventId}, at ${streamId} ${version}`);
      continue;
    }
    const entry = journal.entry(id.sequence);
    if (seen[id.writer]![id.sequence]! > 0) complain(`${eventId} is in the log twice`);
    seen[id.writer]![id.sequence] = 1;
    if (streamId !== soakStreamId(seed, entry.stream)) complain(`${eventId} stands in ${streamId}`);
    if (entry.fate === fate.refused) complain(`${eventId} was refused and is in the log, at ${streamId} ${version}`);
    if (entry.fate === fate.acknowledged && entry.version !== version)
      complain(`${eventId} was acknowledged as version ${entry.version} of ${streamId} and stands at ${version}`);
  }

  const totals = { acknowledgedEvents: 0, unknownEvents: 0, unknownFound: 0, refusedEvents: 0 };
  for (const [writer, journal] of journals.entries()) {
    const commands = new Map<number, [number, number]>();
    for (let sequence = 0; sequence < journal.length; sequence += 1) {
      const entry = journal.entry(sequence);
      const found = seen[writer]![sequence]!;
      const command = commands.get(entry.command) ?? [0, 0];
      commands.set(entry.command, [command[0] + 1, command[1] + found]);
      if (entry.fate === fate.acknowledged) {
        totals.acknowledgedEvents += 1;
        if (found === 0) complain(`event ${sequence} of writer ${writer} was acknowledged and is lost`);
      } else if (entry.fate === fate.refused) totals.refusedEvents += 1;
      else {
        totals.unknownEvents += 1;
        totals.unknownFound += found;
      }
    }
    for (const [command, [sent, found]] of commands)
      if (found !== 0 && found !== sent)
        complain(`of command ${command} of writer ${writer}, ${found} of ${sent} events are in the log`);
  }
  for (const problem of await headProblems(pool)) complain(problem);
  return { events: streams.events, streams: streams.count, ...totals, problems, problemCount };
}

/** Heads that do not fit, and events behind the one that closed their stream. */
async function headProblems(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ problem: string }>(`
    SELECT h.stream_id || ' has its head at version ' || h.version || ', its last event is ' || coalesce(max(e.version), 0) AS problem
    FROM phaseline.streams AS h LEFT JOIN phaseline.events AS e USING (stream_id)
    GROUP BY h.stream_id, h.version HAVING h.version <> coalesce(max(e.version), 0)
    UNION ALL
    SELECT h.stream_id || ' was closed before its version ' || h.version
    FROM phaseline.streams AS h JOIN phaseline.events AS e ON e.stream_id = h.stream_id AND e.type IN ('JobCompleted', 'PhaseCompleted')
    WHERE e.version <> h.version OR NOT h.closed`);
  return rows.map(({ problem }) => problem);
}

async function* allEvents(
  pool: Pool,
): AsyncGenerator<{ readonly eventId: string; readonly streamId: string; readonly version: number }> {
  let after = ['', '0'];
  for (;;) {
    const { rows } = await pool.query<[string, string, string]>({
      text: `SELECT event_id, stream_id, version FROM phaseline.events WHERE (stream_id, version) > ($1, $2)
             ORDER BY stream_id, version LIMIT ${PAGE}`,
      values: after,
      rowMode: 'array',
    });
    for (const [eventId, streamId, version] of rows) yield { eventId, streamId, version: Number(version) };
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = [last[1], last[2]];
  }
}
