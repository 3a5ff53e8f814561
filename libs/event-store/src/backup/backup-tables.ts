import pg from 'pg';

/** Tables that a backup leaves out, and why. Every other table of the schema is in it. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  migrations: 'the migrations are run again',
  processes: 'processes that run say so themselves',
  subscription_members: 'processes that run say so themselves',
  slots: 'filled again from the log',
  tenant_turns: 'kept by a trigger of slots',
  snapshots: 'folded again from the log',
  read_models: 'built again from the log',
  read_models_behind: 'built again from the log',
  experiences: 'kept again from the log',
  blob_marks: 'marked again from the log by the next collection',
  blob_mark_progress: 'marked again from the log by the next collection',
  unmirrored_files: 'of the mirror of one machine',
};
/** Tables of read models, and the empty tables that they are made from. */
const READ_MODEL = /_(template|v\d+)$/;

/**
 * Readers of the log whose place is kept: what they have done is not done again. All others read the log from its start, because
 * what they fill is not in a backup.
 */
const KEPT_READERS = ['orchestrator'];

/** Columns of a table that a backup does not hold in full. */
const ONLY_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  subscriptions: ['name', 'partition', 'partitions', 'transaction_id', 'position'],
};

export interface SchemaTable {
  readonly name: string;
  /** In the order of the table, without those that are generated. */
  readonly columns: readonly string[];
  /** Tables that its foreign keys point to. */
  readonly references: readonly string[];
  /** Columns that count by themselves. */
  readonly identities: readonly string[];
}

/** The tables of the schema that belong into a backup, each after those that it refers to. */
export async function backupTables(client: pg.ClientBase): Promise<readonly SchemaTable[]> {
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
    .filter(({ name }) => !Object.hasOwn(LEFT_OUT, name) && !READ_MODEL.test(name))
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
    if (next.length === 0) throw new Error('the foreign keys of the schema point in a circle');
    ordered.push(...next);
  }
  return ordered;
}

/** The table with its columns, as COPY takes them. */
export function copyTarget({ name, columns }: Pick<SchemaTable, 'name' | 'columns'>): string {
  return `phaseline.${pg.escapeIdentifier(name)} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')})`;
}

/** What is copied of a table: all of it, or a query. */
export function copySource(table: SchemaTable): string {
  if (table.name !== 'subscriptions') return copyTarget(table);
  const columns = table.columns.map((column) => pg.escapeIdentifier(column)).join(', ');
  const names = KEPT_READERS.map((name) => pg.escapeLiteral(name)).join(', ');
  return `(SELECT ${columns} FROM phaseline.subscriptions WHERE name IN (${names}))`;
}
