/** Describes the table of a read model. The template in migrations/*_read_models.sql describes the same in SQL. */
export interface ReadModel {
  readonly name: ReadModelName;
  readonly key: readonly string[];
  /** Columns other than the key, in the order of the table. */
  readonly columns: readonly string[];
  /** Columns that hold JSON. */
  readonly jsonColumns?: readonly string[];
  /** Columns that never change after the insert. */
  readonly immutableColumns?: readonly string[];
  /** Columns with sums: a row contains an increment instead of a value. */
  readonly summedColumns?: readonly string[];
}

export const readModelNames = [
  'jobs',
  'phases',
  'tool_calls',
  'costs',
  'queue_depth',
  'decisions',
  'plans',
  'scheduled_tasks',
  'pattern_decisions',
  'preference_questions',
  'stage_assessments',
] as const;
export type ReadModelName = (typeof readModelNames)[number];

/** A row: values by column. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Revision of the read models, stored with each table. Raise it when a fold or a template changes: the orchestrator
 * then rebuilds all read models next to those of the previous release, and switches.
 */
export const REVISION = 9;

/** Returns all columns of a model in the order of its table. */
export function columnsOf({ key, columns }: ReadModel): readonly string[] {
  return [...key, ...columns];
}
