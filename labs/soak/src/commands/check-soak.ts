import type { EventId, StreamId } from '@phaseline/contracts';
import type { createPool } from '@phaseline/event-store';
import { FATES, type Journal } from './journal.js';
import { ANY_WRITER, parseSoakEventId, createSoakStreamId, toStreamNumber } from './soak-ids.js';

type Pool = ReturnType<typeof createPool>;

export interface SoakFindings {
  readonly events: number;
  readonly streams: number;
  readonly acknowledgedEvents: number;
  /** Number of events whose writer never learned the outcome. */
  readonly unknownEvents: number;
  /** How many of these are in the log. */
  readonly unknownFound: number;
  readonly refusedEvents: number;
  /** The first problems; empty if there are none. */
  readonly problems: readonly string[];
  readonly problemCount: number;
}

const PAGE_EVENTS = 20_000;
const MAX_PROBLEMS_SHOWN = 20;

/**
 * Compares the log with the journals: the versions of every stream are 1 to n without gaps; every acknowledged event is in the log once
 * and at the acknowledged version; no refused event is in the log; of unknown events, commands are complete or absent; the log contains no event that
 * no writer sent; and no event follows the end of a stream.
 */
export async function checkSoak(pool: Pool, seed: number, journals: readonly Journal[]): Promise<SoakFindings> {
  const problems: string[] = [];
  let problemCount = 0;
  const addProblem = (problem: string): void => {
    problemCount += 1;
    if (problems.length < MAX_PROBLEMS_SHOWN) problems.push(problem);
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
    if (version !== streams.version + 1) addProblem(`${streamId} jumps from version ${streams.version} to ${version}`);
    streams.last = streamId;
    streams.version = version;
    const id = parseSoakEventId(eventId);
    if (id?.writer === ANY_WRITER) {
      if (begun.has(id.sequence)) addProblem(`job ${id.sequence} was submitted twice`);
      begun.add(id.sequence);
      if (streamId !== createSoakStreamId(seed, toStreamNumber(id.sequence, 0)) || version !== 1)
        addProblem(`${eventId} is at ${streamId} version ${version}`);
      continue;
    }
    const journal = id && journals[id.writer];
    if (!journal || id.sequence >= journal.length) {
      addProblem(`no writer sent ${eventId}, at ${streamId} version ${version}`);
      continue;
    }
    const entry = journal.entry(id.sequence);
    if (seen[id.writer]![id.sequence]! > 0) addProblem(`${eventId} is in the log twice`);
    seen[id.writer]![id.sequence] = 1;
    if (streamId !== createSoakStreamId(seed, entry.stream))
      addProblem(`${eventId} is in the wrong stream ${streamId}`);
    if (entry.fate === FATES.refused)
      addProblem(`${eventId} was refused but is in the log, at ${streamId} version ${version}`);
    if (entry.fate === FATES.acknowledged && entry.version !== version)
      addProblem(`${eventId} was acknowledged as version ${entry.version} of ${streamId} but is at version ${version}`);
  }

  const totals = { acknowledgedEvents: 0, unknownEvents: 0, unknownFound: 0, refusedEvents: 0 };
  for (const [writer, journal] of journals.entries()) {
    const commands = new Map<number, [number, number]>();
    for (let sequence = 0; sequence < journal.length; sequence += 1) {
      const entry = journal.entry(sequence);
      const found = seen[writer]![sequence]!;
      const command = commands.get(entry.command) ?? [0, 0];
      commands.set(entry.command, [command[0] + 1, command[1] + found]);
      if (entry.fate === FATES.acknowledged) {
        totals.acknowledgedEvents += 1;
        if (found === 0) addProblem(`event ${sequence} of writer ${writer} was acknowledged but is lost`);
      } else if (entry.fate === FATES.refused) totals.refusedEvents += 1;
      else {
        totals.unknownEvents += 1;
        totals.unknownFound += found;
      }
    }
    for (const [command, [sent, found]] of commands)
      if (found !== 0 && found !== sent)
        addProblem(`of command ${command} of writer ${writer}, ${found} of ${sent} events are in the log`);
  }
  for (const problem of await findHeadProblems(pool)) addProblem(problem);
  return { events: streams.events, streams: streams.count, ...totals, problems, problemCount };
}

/** Finds stream heads with a wrong version, and events after the one that closed their stream. */
async function findHeadProblems(pool: Pool): Promise<string[]> {
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
): AsyncGenerator<{ readonly eventId: EventId; readonly streamId: StreamId; readonly version: number }> {
  let after = ['', '0'];
  for (;;) {
    const { rows } = await pool.query<[string, string, string]>({
      text: `SELECT event_id, stream_id, version FROM phaseline.events WHERE (stream_id, version) > ($1, $2)
             ORDER BY stream_id, version LIMIT ${PAGE_EVENTS}`,
      values: after,
      rowMode: 'array',
    });
    for (const [eventId, streamId, version] of rows) yield { eventId, streamId, version: Number(version) };
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_EVENTS) return;
    after = [last[1], last[2]];
  }
}
