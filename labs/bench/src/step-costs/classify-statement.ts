/** Kinds of statements of a step, in the order in which they are printed. */
export const STATEMENT_KINDS = ['append_one', 'append', 'reads', 'pg_notify', 'BullMQ', 'others'] as const;
export type StatementKind = (typeof STATEMENT_KINDS)[number];

/** Names of prepared statements. Those of BullMQ are numbered. */
const KINDS_BY_NAME: Readonly<Record<string, StatementKind>> = {
  'phaseline-append-one': 'append_one',
  // The fast path of append_one for one event.
  'phaseline-append-event': 'append_one',
  'phaseline-append': 'append',
  'phaseline-read-stream': 'reads',
  'phaseline-read-ranges': 'reads',
  'phaseline-post': 'pg_notify',
};

/** Returns the kind of a statement from the name under which it is prepared; `others` without a name. */
export function classifyStatement(name: string | undefined): StatementKind {
  if (name?.startsWith('bullmq_')) return 'BullMQ';
  return (name !== undefined && KINDS_BY_NAME[name]) || 'others';
}
