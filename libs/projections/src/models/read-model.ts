/** What a table of a read model looks like to whoever fills it. The template in migrations/*_read_models.sql is the same in SQL. */
export interface ReadModel {
  readonly name: ReadModelName;
  readonly key: readonly string[];
  /** The others, in the order of the table. */
  readonly columns: readonly string[];
  /** Columns that hold JSON. */
  readonly json?: readonly string[];
  /** Columns that are written once. */
  readonly once?: readonly string[];
  /** Columns that sum up: a change says how much more, and not how much. */
  readonly sums?: readonly string[];
}

export const readModelNames = ['jobs', 'phases', 'tool_calls', 'costs', 'queue_depth'] as const;
export type ReadModelName = (typeof readModelNames)[number];

/** A row by column. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * What this release makes of events and how it stores it; stored with each table. Raise it when a fold changes, or a
 * template: the orchestrator then builds all read models anew, beside those of the release before, and switches.
 */
export const REVISION = 1;

export const spendingColumns = [
  'steps',
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'cost_micro_usd',
] as const;

/** All columns of a model in the order of its table. */
export function columnsOf({ key, columns }: ReadModel): readonly string[] {
  return [...key, ...columns];
}
