import pg from 'pg';

/**
 * Tables that a backup omits, with the reason. Every other table of the schema is included; among them `blob_marks` and `file_references`,
 * which contain the references of events in cold storage.
 */
export const OMITTED_TABLES: Readonly<Record<string, string>> = {
  hand_over_secret: 'a migration creates another one',
  migrations: 'a restore runs the migrations',
  processes: 'running processes register themselves',
  subscription_members: 'running processes register themselves',
  slots: 'rebuilt from the log',
  tenant_turns: 'maintained by a trigger on slots',
  snapshots: 'rebuilt from the log',
  read_models: 'rebuilt from the log',
  read_models_behind: 'rebuilt from the log',
  experiences: 'rebuilt from the log',
  learning_embeddings: 'asked for again',
  learning_traces: 'rebuilt from the log',
  blob_mark_progress: 'the next blob collection marks blobs again',
  file_reference_progress: 'the next run of retention reads the log again',
  retention_candidates: 'the next run of retention reads the log again',
  cold_candidates: 'the next run of retention reads the log again',
  retention_runs: 'a restored system removes nothing because of an old request',
  retention_run_jobs: 'belongs to retention_runs',
  table_cleanings: 'the next cleaning writes it',
  unmirrored_files: 'belongs to the mirror of one machine',
};
/** Name of a read model table or of the empty template it is created from. */
const READ_MODEL = /_(template|v\d+)$/;

/**
 * Subscriptions whose checkpoint is restored, so that their effects are not repeated. All others read the log from the start, because
 * the tables they fill are not part of a backup.
 */
const RESTORED_SUBSCRIPTIONS = ['orchestrator'];

/** Columns to back up of tables that are only backed up in part. */
const ONLY_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  subscriptions: ['name', 'partition', 'partitions', 'transaction_id', 'position'],
};

export interface SchemaTable {
  readonly name: string;
  /** Columns in table order, without generated columns. */
  readonly columns: readonly string[];
  /** Tables that its foreign keys reference. */
  readonly references: readonly string[];
  /** Identity columns. */
  readonly identities: readonly string[];
}

/** Reads the tables that belong in a backup, each after the tables it references. */
export async function readBackupTables(client: pg.ClientBase): Promise<readonly SchemaTable[]> {
  const { rows } = await client.query<{
    name: string;
    columns: string[];
    identities: string[] | null;
    references: string[] | null;
  }>(
    `SELECT c.relname::text AS name,
       array_agg(a.attname::text ORDER BY a.attnum) AS columns,
       array_agg(a.attname::text) FILTER (WHERE a.attidentity <> '') AS identities,
       (SELECT array_agg(DISTINCT r.relname::text) FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid
        WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS references
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE n.nspname = 'phaseline' AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     GROUP BY c.oid, c.relname ORDER BY c.relname`,
  );
  const tables = rows
    .filter(({ name }) => !Object.hasOwn(OMITTED_TABLES, name) && !READ_MODEL.test(name))
    .map(({ name, columns, identities, references }) => ({
      name,
      columns: ONLY_COLUMNS[name] ?? columns,
      identities: identities ?? [],
      references: references ?? [],
    }));
  const ordered: SchemaTable[] = [];
  while (ordered.length < tables.length) {
    const placed = new Set(ordered.map(({ name }) => name));
    const next = tables.filter(
      ({ name, references }) => !placed.has(name) && references.every((other) => placed.has(other)),
    );
    if (next.length === 0) throw new Error('the foreign keys of the schema form a cycle');
    ordered.push(...next);
  }
  return ordered;
}

/** Table and columns in the syntax of COPY. */
export function copyTarget({ name, columns }: Pick<SchemaTable, 'name' | 'columns'>): string {
  return `phaseline.${pg.escapeIdentifier(name)} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')})`;
}

/** Source of COPY for a table: the whole table or a query. */
export function copySource(table: SchemaTable): string {
  if (table.name !== 'subscriptions') return copyTarget(table);
  const columns = table.columns.map((column) => pg.escapeIdentifier(column)).join(', ');
  const names = RESTORED_SUBSCRIPTIONS.map((name) => pg.escapeLiteral(name)).join(', ');
  return `(SELECT ${columns} FROM phaseline.subscriptions WHERE name IN (${names}))`;
}
