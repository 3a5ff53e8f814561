import { readProjectionStatus, type ProjectionStatus } from '@phaseline/projections';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import type { Paint } from '../output/paint.js';
import { formatAge, formatCount } from '../output/quantities.js';
import { renderTable } from '../output/table.js';
import { withLogPool } from '../audit/with-log-pool.js';

/** `phaseline projections list`: lists the tables of the read models with their checkpoint and lag. */
export async function listProjections(context: CommandContext): Promise<ExitCode> {
  const { out } = context;
  return withLogPool(context, 'phaseline-projections', async (pool, database) => {
    const statuses = await readProjectionStatus(pool);
    if (out.isStructured) out.writeDocument({ database, items: statuses });
    else out.writeLines(...renderProjections(statuses, out.paint, out.columns));
    return exitCode.ok;
  });
}

export function renderProjections(
  statuses: readonly ProjectionStatus[],
  paint: Paint,
  width: number | undefined,
): string[] {
  return renderTable<ProjectionStatus>(
    [
      { title: 'name', cell: ({ name }) => name },
      { title: 'version', align: 'right', cell: ({ version }) => `v${version}` },
      {
        title: 'state',
        cell: ({ state }) => state,
        paint: (text, { state }) => (state === 'active' ? text : paint.yellow(text)),
      },
      {
        title: 'checkpoint',
        align: 'right',
        cell: ({ position }) => (position === undefined ? '–' : String(position)),
      },
      { title: 'behind', align: 'right', cell: ({ lagEvents }) => (lagEvents === 0 ? '0' : formatCount(lagEvents)) },
      {
        title: 'for',
        align: 'right',
        cell: ({ lagSeconds }) => (lagSeconds === 0 ? '–' : formatAge(lagSeconds * 1_000)),
      },
      { title: 'rows', align: 'right', cell: ({ rows }) => formatCount(rows) },
    ],
    statuses,
    { width, title: paint.dim },
  );
}
