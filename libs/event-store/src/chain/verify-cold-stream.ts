import type { JobId, StreamId } from '@phaseline/contracts';
import type pg from 'pg';
import { isArchiveUnreadable } from '../cold/cold-errors.js';
import { readColdEvents, type ColdStorage } from '../cold/cold-storage.js';
import type { ChainProblem } from './chain-problem.js';
import { diagnoseStream, type StoredEvent, type StreamEvidence } from './diagnose-stream.js';

/** Returns the archive of each stream in cold storage, of a job or of the whole log. */
export async function readArchivesOfStreams(
  client: pg.ClientBase,
  correlationId: JobId | undefined,
): Promise<ReadonlyMap<StreamId, string>> {
  const { rows } = await client.query<{ stream_id: StreamId; archive: string }>(
    `SELECT c.stream_id, c.archive FROM phaseline.cold_streams AS c JOIN phaseline.cold_archives AS a USING (archive)
     WHERE $1::text IS NULL OR a.correlation_id = $1`,
    [correlationId ?? null],
  );
  return new Map(rows.map(({ stream_id: streamId, archive }) => [streamId, archive]));
}

/**
 * Verifies a stream in cold storage like a stream in the log, with the events of its archive. Rows in the log besides them are problems,
 * because a move drops all rows of a stream.
 */
export async function verifyColdStream(
  client: pg.ClientBase,
  cold: ColdStorage | undefined,
  evidence: StreamEvidence,
  archive: string,
): Promise<{ readonly events: number; readonly problems: readonly ChainProblem[] }> {
  const { streamId } = evidence;
  let events: readonly StoredEvent[];
  try {
    events = (await readColdEvents(cold, client, archive)).filter((event) => event.streamId === streamId);
  } catch (error) {
    if (!isArchiveUnreadable(error)) throw error;
    return { events: 0, problems: [{ kind: 'archive-unreadable', streamId, version: 0, detail: error.message }] };
  }
  const problems = diagnoseStream({ ...evidence, events: [...events, ...evidence.events] });
  return { events: events.length, problems };
}
