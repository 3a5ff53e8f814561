import { hash } from 'node:crypto';
import type { JobId, StreamId } from '@phaseline/contracts';
import pg from 'pg';
import { BinaryEvent, EVENT_COLUMN_COUNT, EVENT_COLUMNS_BINARY } from '../chain/binary-event.js';
import { toCloudEventLine, DEFAULT_SOURCE } from '../chain/cloud-event.js';
import { copyRows } from '../chain/copy-rows.js';
import { runInSnapshot } from '../database/transaction.js';
import { compressArchive, digestEvents, readArchive } from './archive-format.js';
import { archiveName, type ArchiveStore } from './archive-store.js';
import { findArchiveFault, type ArchivedHead } from './check-archive.js';
import { ArchiveAltered, ArchiveMissing } from './cold-errors.js';

/** An archive in memory, of streams whose events are still in the log. */
export interface MadeArchive {
  readonly name: string;
  readonly content: Buffer;
  readonly sha256: string;
  readonly events: number;
  readonly heads: readonly ArchivedHead[];
}

/** Makes the archive of the closed streams of a job that have not moved yet; undefined if there are none. Reads one snapshot. */
export function makeArchive(pool: pg.Pool, correlationId: JobId): Promise<MadeArchive | undefined> {
  return runInSnapshot(pool, async (client) => {
    const { rows } = await client.query<{ streamId: StreamId; version: string; hash: Buffer }>(
      'SELECT stream_id AS "streamId", version, hash FROM phaseline.movable_streams($1) ORDER BY stream_id',
      [correlationId],
    );
    if (rows.length === 0) return undefined;
    const heads = rows.map((row) => ({ ...row, version: Number(row.version) }));
    const event = new BinaryEvent();
    const pieces: Buffer[] = [];
    const streamIds = heads.map(({ streamId }) => pg.escapeLiteral(streamId)).join(', ');
    await copyRows(
      client,
      `SELECT ${EVENT_COLUMNS_BINARY} FROM phaseline.events WHERE stream_id IN (${streamIds}) ORDER BY stream_id, version`,
      EVENT_COLUMN_COUNT,
      // The pieces are valid only until the next row.
      (row) => pieces.push(Buffer.concat(toCloudEventLine(event.read(row), DEFAULT_SOURCE))),
    );
    const content = await compressArchive(Buffer.concat(pieces));
    const sha256 = hash('sha256', content, 'hex');
    return { name: archiveName(correlationId, sha256), content, sha256, events: pieces.length, heads };
  });
}

/** What the event of a move says about the events that it dropped. */
export interface VerifiedArchive {
  readonly archive: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly events: number;
  readonly streams: number;
  /** Identifies the events: the database drops no others. */
  readonly digest: string;
}

/**
 * Reads an archive back from the storage and verifies it: its hash, and the chain of each stream up to its head. Throws ArchiveMissing and
 * ArchiveAltered.
 */
export async function verifyStoredArchive(
  archives: ArchiveStore,
  { name, sha256, heads }: Pick<MadeArchive, 'name' | 'sha256' | 'heads'>,
): Promise<VerifiedArchive> {
  const stored = await archives.get(name);
  if (!stored) throw new ArchiveMissing(name, archives.location);
  if (hash('sha256', stored, 'hex') !== sha256)
    throw new ArchiveAltered(name, archives.location, 'its SHA-256 is not that of what was stored');
  const events = await readArchive(stored);
  const fault = findArchiveFault(events, heads);
  if (fault !== undefined) throw new ArchiveAltered(name, archives.location, fault);
  return {
    archive: name,
    sha256,
    bytes: stored.byteLength,
    events: events.length,
    streams: heads.length,
    digest: digestEvents(events),
  };
}
