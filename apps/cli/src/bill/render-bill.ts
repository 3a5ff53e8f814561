import type { BilledCalls } from '@phaseline/contracts';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatCount, formatUsd, pluralise } from '../output/quantities.js';
import { renderTable } from '../output/table.js';
import { renderBar } from '../progress/render-progress.js';
import type { BillReport, BillSummary } from './bill-report.js';

const BAR_COLUMNS = 30;

export function renderBillProgress({ read, expectedJobs }: BillReport): string {
  return `${renderBar(read, expectedJobs, BAR_COLUMNS)} ${formatCount(read)} of ${pluralise(expectedJobs, 'job')} billed`;
}

/** What the jobs cost and would have cost, the difference, and the jobs without a bill. */
export function renderBill({ jobs, recorded, changed, band, unbilled, examples }: BillSummary, paint: Paint): string[] {
  const table = renderTable<readonly [string, BilledCalls]>(
    [
      { title: pluralise(jobs, 'job'), cell: ([name]) => name },
      { title: 'calls', align: 'right', cell: ([, { calls }]) => formatCount(calls) },
      { title: 'tokens in', align: 'right', cell: ([, { inputTokens }]) => formatCount(inputTokens) },
      { title: 'cached', align: 'right', cell: ([, { cachedInputTokens }]) => formatCount(cachedInputTokens) },
      { title: 'out', align: 'right', cell: ([, { outputTokens }]) => formatCount(outputTokens) },
      { title: 'cost', align: 'right', cell: ([, { costMicroUsd }]) => formatUsd(costMicroUsd) },
    ],
    [
      ['recorded', recorded],
      ['supposed', changed],
    ],
    { title: paint.dim },
  );
  return [
    ...table,
    ...renderDifference(recorded.costMicroUsd, changed.costMicroUsd),
    ...(band
      ? [
          `With another tokeniser between ${formatUsd(band[0])} and ${formatUsd(band[1])}, as others count the same texts.`,
        ]
      : []),
    ...Object.entries(unbilled).map(
      ([reason, count]) => `No bill for ${pluralise(count, 'job')}: ${toPrintable(reason)}`,
    ),
    ...(examples.length > 0 ? [`  such as ${examples.join(', ')}`] : []),
  ];
}

function renderDifference(recorded: number, changed: number): string[] {
  if (recorded === 0) return [];
  const percent = ((changed - recorded) / recorded) * 100;
  return [`${percent >= 0 ? '+' : ''}${percent.toFixed(1)} %`];
}
