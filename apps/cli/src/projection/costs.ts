import type { CostGroup, CostReport } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import type { Paint } from '../output/paint.js';
import { formatCount, formatUsd } from '../output/quantities.js';
import { renderTable } from '../output/table.js';

export interface CostsOptions {
  readonly by: CostReport['by'];
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
}

/** `phaseline costs`: shows token usage and cost by agent, model, day, tenant or job. */
export async function costs(context: CommandContext, options: CostsOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const report = await client.costs(options, { signal });
  if (out.isStructured) out.writeDocument(report);
  else if (report.items.length === 0) out.writeMessage('No model calls yet.');
  else out.writeLines(...renderCosts(report, out.paint, out.columns));
  return exitCode.ok;
}

export function renderCosts({ by, items, total }: CostReport, paint: Paint, width: number | undefined): string[] {
  return renderTable<CostGroup>(
    [
      { title: by, cell: ({ key }) => key, paint: (text, row) => (row.key === 'total' ? paint.bold(text) : text) },
      { title: 'steps', align: 'right', cell: ({ usage }) => formatCount(usage.steps) },
      { title: 'tokens in', align: 'right', cell: ({ usage }) => formatCount(usage.inputTokens) },
      { title: 'cached', align: 'right', cell: ({ usage }) => formatCount(usage.cachedInputTokens) },
      { title: 'out', align: 'right', cell: ({ usage }) => formatCount(usage.outputTokens) },
      { title: 'cost', align: 'right', cell: ({ usage }) => formatUsd(usage.costMicroUsd) },
    ],
    [...items, { key: 'total', usage: total }],
    { width, title: paint.dim },
  );
}
