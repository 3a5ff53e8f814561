import { hash } from 'node:crypto';
import type { StreamId } from '@phaseline/contracts';
import type { StoredEvent } from '../chain/diagnose-stream.js';
import type { Queryable } from '../database/queryable.js';
import { readArchive } from './archive-format.js';
import type { ArchiveStore } from './archive-store.js';
import { findArchiveFault } from './check-archive.js';
import { ArchiveAltered, ArchiveMissing, ColdStorageNotConfigured } from './cold-errors.js';

/** Events of archives kept in memory, in bytes of compressed archives. Events take about ten times as much. */
const CACHE_BYTES = 16 * 1024 * 1024;

interface CachedArchive {
  readonly events: Promise<readonly StoredEvent[]>;
  bytes: number;
}

/** Reads events that moved to archives. One instance per process is enough, because it keeps the archives that were read last. */
export class ColdStorage {
  private readonly cached = new Map<string, CachedArchive>();

  constructor(
    readonly archives: ArchiveStore,
    private readonly cacheBytes: number = CACHE_BYTES,
  ) {}

  /**
   * Returns the events of an archive, by stream and version, after checking them against the log: the hash of the archive, and the head of each
   * of its streams. Throws ArchiveMissing, ArchiveAltered and errors of the storage.
   */
  read(database: Queryable, archive: string): Promise<readonly StoredEvent[]> {
    const known = this.cached.get(archive);
    // Set it again: the first entry of the map is the one that was not used for longest.
    this.cached.delete(archive);
    const entry = known ?? { events: this.load(database, archive), bytes: 0 };
    this.cached.set(archive, entry);
    if (!known) entry.events.catch(() => this.cached.delete(archive));
    return entry.events;
  }

  private async load(database: Queryable, archive: string): Promise<readonly StoredEvent[]> {
    const { rows } = await database.query<{ streamId: StreamId; version: string; hash: Buffer; sha256: string }>(
      `SELECT h.stream_id AS "streamId", h.version, h.hash, encode(a.sha256, 'hex') AS sha256 FROM phaseline.cold_archives AS a
       JOIN phaseline.cold_streams AS c USING (archive) JOIN phaseline.streams AS h USING (stream_id) WHERE a.archive = $1`,
      [archive],
    );
    const content = await this.archives.get(archive);
    if (!content) throw new ArchiveMissing(archive, this.archives.location);
    const fail = (detail: string): never => {
      throw new ArchiveAltered(archive, this.archives.location, detail);
    };
    if (hash('sha256', content, 'hex') !== rows[0]?.sha256) return fail('its SHA-256 is not the recorded one');
    const events = await readArchive(content);
    const fault = findArchiveFault(
      events,
      rows.map((row) => ({ ...row, version: Number(row.version) })),
    );
    if (fault !== undefined) return fail(fault);
    this.keep(archive, content.byteLength);
    return events;
  }

  /** Counts an archive that was loaded, and forgets those that were not used for longest. */
  private keep(archive: string, bytes: number): void {
    const entry = this.cached.get(archive);
    if (entry) entry.bytes = bytes;
    let kept = [...this.cached.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [name, one] of this.cached) {
      if (kept <= this.cacheBytes) return;
      if (name === archive) continue;
      kept -= one.bytes;
      this.cached.delete(name);
    }
  }
}

/** Reads an archive, or throws ColdStorageNotConfigured in a process without cold storage. */
export async function readColdEvents(
  cold: ColdStorage | undefined,
  database: Queryable,
  archive: string,
): Promise<readonly StoredEvent[]> {
  if (!cold) throw new ColdStorageNotConfigured(archive);
  return cold.read(database, archive);
}
