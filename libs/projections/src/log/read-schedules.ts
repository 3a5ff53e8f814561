import type { Queryable } from '@phaseline/event-store';
import {
  describeTasks,
  parseOutline,
  parseOutlineHash,
  parseSchedule,
  type ScheduleContent,
} from '../models/schedule-content.js';
import { findRecordedSchedule, type ScheduleContents } from '../models/scheduled-tasks.js';
import type { ViewChange } from './view-events.js';

/**
 * Reads the schedules that changes record, with the outlines that they were made from: each artifact names the hash of the one before it, and
 * its file is stored under that hash. Runs in the transaction of the fold. Contents never change, so a rebuild finds the same.
 * An artifact that is larger than a piece of the blob store (1 MiB) is not read.
 */
export async function readSchedules(database: Queryable, changes: readonly ViewChange[]): Promise<ScheduleContents> {
  const hashes = changes.flatMap((change) => findRecordedSchedule(change) ?? []);
  const schedules = mapValues(await readBlobs(database, hashes), parseSchedule);
  const roadmaps = await readBlobs(
    database,
    [...schedules.values()].map(({ roadmapHash }) => roadmapHash),
  );
  const outlineHashes = mapValues(roadmaps, parseOutlineHash);
  const outlines = mapValues(await readBlobs(database, [...outlineHashes.values()]), parseOutline);
  const findOutline = ({ roadmapHash }: ScheduleContent) => outlines.get(outlineHashes.get(roadmapHash) ?? '');
  return mapValues(schedules, (schedule) => describeTasks(schedule, findOutline(schedule)));
}

const HASH = /^[0-9a-f]{64}$/;

async function readBlobs(database: Queryable, hashes: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const wanted = new Set(hashes.filter((hash) => HASH.test(hash)));
  if (wanted.size === 0) return new Map();
  const { rows } = await database.query<{ hash: string; content: Buffer }>(
    `SELECT encode(hash, 'hex') AS hash, content FROM phaseline.blobs
     WHERE hash IN (SELECT decode(h, 'hex') FROM unnest($1::text[]) AS h)`,
    [[...wanted]],
  );
  return new Map(rows.map(({ hash, content }) => [hash, content]));
}

/** Maps the values of a map and leaves out those that become undefined. */
function mapValues<From, To>(
  map: ReadonlyMap<string, From>,
  change: (value: From) => To | undefined,
): ReadonlyMap<string, To> {
  return new Map(
    [...map].flatMap(([key, value]) => {
      const changed = change(value);
      return changed === undefined ? [] : [[key, changed] as const];
    }),
  );
}
