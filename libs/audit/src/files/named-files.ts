import { isSealedCorrelation } from '@phaseline/event-store';
import type pg from 'pg';

/** A file or a long text that an event names. */
export interface NamedFile {
  readonly streamId: string;
  readonly version: number;
  /** The job. */
  readonly correlationId: string;
  /** Path in the workspace, or the place of a long text in its event. */
  readonly path: string;
  /** Name of the content, 64 hex digits. */
  readonly hash: string;
  /** Size in bytes, as the event says. */
  readonly size: number;
}

/**
 * Where events name files: the member of their data that is a file, or a tree of files by path; '' is the data itself. A spec in
 * libs/testing compares it with the shapes of all events, and libs/audit/verifier holds the same table.
 */
export const FILES_OF_EVENTS: Readonly<Record<string, { readonly file?: string; readonly tree?: string }>> = {
  FileWritten: { file: '' },
  JobSubmitted: { tree: 'tree' },
  PhaseStarted: { tree: 'tree' },
};

interface EventRow {
  readonly stream_id: string;
  readonly version: string;
  readonly correlation_id: string;
  readonly type: string;
  readonly data: string | null;
  readonly metadata: string | null;
}

/** Rows fetched at once; fewer where they are large, since the tree of a job of many files takes megabytes. */
const MAX_ROWS = 1_000;
const FETCHED_CHARACTERS = 4 * 1024 * 1024;

/**
 * The files and long texts that events name, as lists, job by job in the order of commits. Runs in the transaction that the client is in,
 * and holds one list at a time. The files of encrypted jobs are named by ciphertexts alone, so of these only stored ciphertexts come.
 */
export async function* namedFiles(
  client: pg.ClientBase,
  correlationIds?: readonly string[],
): AsyncGenerator<readonly NamedFile[], void, undefined> {
  const types = Object.keys(FILES_OF_EVENTS)
    .map((type) => `'${type}'`)
    .join(', ');
  // Metadata is read only where it can name something; "\u" may spell any of its members.
  const reference = String.raw`metadata::text ~ '"\$(texts"|sealed"\s*:\s*\{)|\\u'`;
  const some = correlationIds ? 'correlation_id = ANY ($1) AND' : '';
  await client.query('SET LOCAL enable_sort = off');
  await client.query(
    `DECLARE phaseline_named_files NO SCROLL CURSOR FOR
     SELECT stream_id, version, correlation_id, type, CASE WHEN type IN (${types}) THEN data::text END AS data,
            CASE WHEN ${reference} THEN metadata::text END AS metadata
     FROM phaseline.events WHERE ${some} (type IN (${types}) OR ${reference}) ORDER BY correlation_id, position`,
    correlationIds ? [correlationIds] : [],
  );
  for (let rows = 16; ;) {
    const page = await client.query<EventRow>(`FETCH ${rows} FROM phaseline_named_files`);
    if (page.rows.length === 0) break;
    yield page.rows.flatMap((row) => [...filesOf(row)]);
    const characters = page.rows.reduce(
      (sum, { data, metadata }) => sum + (data?.length ?? 0) + (metadata?.length ?? 0),
      1,
    );
    const fitting = Math.floor((FETCHED_CHARACTERS / characters) * page.rows.length);
    rows = Math.max(1, Math.min(fitting, rows * 4, MAX_ROWS));
  }
  await client.query('CLOSE phaseline_named_files');
}

function* filesOf(row: EventRow): Generator<NamedFile> {
  const { stream_id: streamId, correlation_id: correlationId } = row;
  const named = (path: string, hash: unknown, size: unknown): NamedFile[] =>
    isHash(hash) && Number.isSafeInteger(size)
      ? [{ streamId, version: Number(row.version), correlationId, path, hash, size: size as number }]
      : [];
  const place = FILES_OF_EVENTS[row.type];
  // What stands in the data of an encrypted job's event is a placeholder.
  const data = place && row.data !== null && !isSealedCorrelation(correlationId) ? objectIn(row.data) : undefined;
  if (data && place?.file !== undefined) yield* named(String(data['path']), data['hash'], data['size']);
  if (data && place?.tree !== undefined)
    for (const [path, entry] of Object.entries(objectOf(data[place.tree])))
      yield* named(path, objectOf(entry)['hash'], objectOf(entry)['size']);
  if (row.metadata === null) return;
  const metadata = objectIn(row.metadata);
  const texts = metadata['$texts'];
  for (const text of Array.isArray(texts) ? texts.map(objectOf) : [])
    yield* named(`text ${Array.isArray(text['at']) ? text['at'].join('.') : ''}`, text['hash'], text['size']);
  const ciphertext = objectOf(metadata['$sealed']);
  yield* named('encrypted content', ciphertext['blob'], ciphertext['size']);
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function objectIn(text: string): Record<string, unknown> {
  return objectOf(JSON.parse(text));
}

/** The value if it is an object, else an empty one: anybody with the rights of a service may have written it. */
function objectOf(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
}
