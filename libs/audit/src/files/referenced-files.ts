import type { JobId, StreamId } from '@phaseline/contracts';
import { isArchiveUnreadable, isEncryptedCorrelation, readColdEvents, type ColdStorage } from '@phaseline/event-store';
import type pg from 'pg';

/** A file or long text that an event refers to. */
export interface ReferencedFile {
  readonly streamId: StreamId;
  readonly version: number;
  /** Correlation of the event: the job id. */
  readonly correlationId: JobId;
  /** Path in the workspace, or the location of a long text in its event. */
  readonly path: string;
  /** Content hash, 64 hex digits. */
  readonly hash: string;
  /** Size in bytes according to the event. */
  readonly size: number;
}

/**
 * Event types that refer to files, with the path of the member of their data that contains a file, or a tree of files by path; ''
 * is the data itself. A spec in libs/harness compares this table with the schemas of all events. The audit checker has a copy.
 */
export const FILE_REFERENCES_BY_EVENT: Readonly<Record<string, { readonly file?: string; readonly tree?: string }>> = {
  FileWritten: { file: '' },
  JobCompleted: { file: 'file' },
  JobForked: { tree: 'instructions' },
  JobSubmitted: { tree: 'tree' },
  PhaseStarted: { tree: 'workspace.tree' },
  RepositoryImported: { tree: 'tree' },
  RepositoryOutputMade: { file: 'patch' },
  WorkspaceEdited: { file: 'file' },
};

interface EventRow {
  readonly stream_id: StreamId;
  readonly version: string;
  readonly correlation_id: JobId;
  readonly type: string;
  readonly data: string | null;
  readonly metadata: string | null;
}

const MAX_ROWS_PER_FETCH = 1_000;
/** Target size of a fetch. The tree of a job with many files takes megabytes, so large rows are fetched in smaller numbers. */
const CHARACTERS_PER_FETCH = 4 * 1024 * 1024;

/**
 * Yields lists of the files and long texts that events refer to, job by job in commit order: first those of events in the log, then those of
 * events in cold storage. Must run in a transaction of the client;
 * holds one list in memory at a time. Events of encrypted jobs refer only to ciphertexts, so only stored ciphertexts are yielded for
 * them.
 */
export async function* readReferencedFiles(
  client: pg.ClientBase,
  correlationIds?: readonly JobId[],
  cold?: ColdStorage,
): AsyncGenerator<readonly ReferencedFile[], void, undefined> {
  const types = Object.keys(FILE_REFERENCES_BY_EVENT)
    .map((type) => `'${type}'`)
    .join(', ');
  // Read metadata only if it can refer to content. An escape ("\u") can spell any member name.
  const reference = String.raw`metadata::text ~ '"\$(texts"|encrypted"\s*:\s*\{)|\\u'`;
  const correlationCondition = correlationIds ? 'correlation_id = ANY ($1) AND' : '';
  await client.query('SET LOCAL enable_sort = off');
  await client.query(
    `DECLARE phaseline_named_files NO SCROLL CURSOR FOR
     SELECT stream_id, version, correlation_id, type, CASE WHEN type IN (${types}) THEN data::text END AS data,
            CASE WHEN ${reference} THEN metadata::text END AS metadata
     FROM phaseline.events WHERE ${correlationCondition} (type IN (${types}) OR ${reference}) ORDER BY correlation_id, position`,
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
    const fittingRows = Math.floor((CHARACTERS_PER_FETCH / characters) * page.rows.length);
    rows = Math.max(1, Math.min(fittingRows, rows * 4, MAX_ROWS_PER_FETCH));
  }
  await client.query('CLOSE phaseline_named_files');
  const archives = await client.query<{ archive: string }>(
    `SELECT archive FROM phaseline.cold_archives WHERE $1::text[] IS NULL OR correlation_id = ANY ($1)
     ORDER BY correlation_id, first_position`,
    [correlationIds ?? null],
  );
  for (const { archive } of archives.rows) yield await readFilesOfArchive(client, cold, archive);
}

/** An unreadable archive refers to nothing here: `verifyChain` reports it, and an export of its events fails. */
async function readFilesOfArchive(
  client: pg.ClientBase,
  cold: ColdStorage | undefined,
  archive: string,
): Promise<ReferencedFile[]> {
  const events = await readColdEvents(cold, client, archive).catch((error: unknown) => {
    if (isArchiveUnreadable(error)) return [];
    throw error;
  });
  return events.flatMap((event) => [
    ...filesOf({
      stream_id: event.streamId,
      version: String(event.version),
      correlation_id: event.correlationId,
      type: event.type,
      data: event.data,
      metadata: event.metadata,
    }),
  ]);
}

function* filesOf(row: EventRow): Generator<ReferencedFile> {
  const { stream_id: streamId, correlation_id: correlationId } = row;
  const toFiles = (path: string, hash: unknown, size: unknown): ReferencedFile[] =>
    isHash(hash) && Number.isSafeInteger(size)
      ? [{ streamId, version: Number(row.version), correlationId, path, hash, size: size as number }]
      : [];
  const place = FILE_REFERENCES_BY_EVENT[row.type];
  // The data of an encrypted job's event contains only placeholders.
  const data = place && row.data !== null && !isEncryptedCorrelation(correlationId) ? parseObject(row.data) : undefined;
  if (data && place?.file !== undefined) {
    const file = place.file === '' ? data : toObject(data[place.file]);
    yield* toFiles(String(data['path'] ?? file['path'] ?? place.file), file['hash'], file['size']);
  }
  if (data && place?.tree !== undefined)
    for (const [path, entry] of Object.entries(
      place.tree.split('.').reduce((value, name) => toObject(value[name]), data),
    ))
      yield* toFiles(path, toObject(entry)['hash'], toObject(entry)['size']);
  if (row.metadata === null) return;
  const metadata = parseObject(row.metadata);
  const texts = metadata['$texts'];
  for (const text of Array.isArray(texts) ? texts.map(toObject) : [])
    yield* toFiles(`text ${Array.isArray(text['at']) ? text['at'].join('.') : ''}`, text['hash'], text['size']);
  const ciphertext = toObject(metadata['$encrypted']);
  yield* toFiles('encrypted content', ciphertext['blob'], ciphertext['size']);
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function parseObject(text: string): Record<string, unknown> {
  return toObject(JSON.parse(text));
}

/** Returns the value if it is an object, otherwise an empty object. A compromised service may have stored anything. */
function toObject(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
}
