import type { CommandContext } from '../command/command-context.js';
import { GraphQueryRefused } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { toPrintable } from '../output/printable.js';
import { pluralise } from '../output/quantities.js';
import { renderTable } from '../output/table.js';
import { withGraph, type GraphLocation } from './open-graph.js';

export interface QueryOptions extends GraphLocation {
  readonly limit: number;
}

/** `phaseline graph query`: runs a read-only Cypher query. Throws GraphQueryRefused. */
export async function queryGraph(context: CommandContext, query: string, options: QueryOptions): Promise<ExitCode> {
  const { out } = context;
  const result = await withGraph(context, options, ({ graph, limits }) =>
    graph.read(query, {}, limits(options.limit)).catch(rethrowRefusal),
  );
  const { columns, rows, omittedRows } = result;
  if (out.isStructured) {
    out.writeDocument({
      columns,
      rows: rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null]))),
      omittedRows: omittedRows ?? null,
    });
    return exitCode.ok;
  }
  out.writeLines(
    ...renderTable(
      columns.map((name, index) => ({
        title: name,
        cell: (row: (typeof rows)[number]) => {
          const value = row[index] ?? null;
          return toPrintable(typeof value === 'string' ? value : JSON.stringify(value));
        },
      })),
      rows,
      { width: out.columns, title: out.paint.dim },
    ),
  );
  if (omittedRows !== 0)
    out.writeMessage(`${omittedRows === undefined ? 'More' : omittedRows} rows not shown; show more with --limit.`);
  if (rows.length === 0) out.writeMessage(pluralise(0, 'row'));
  return exitCode.ok;
}

function rethrowRefusal(error: unknown): never {
  if (error instanceof Error && ['CypherError', 'ToolError'].includes(error.name))
    throw new GraphQueryRefused(error.message, { cause: error });
  throw error;
}
