import { readCount, readObject, type JobStateResponse, type Usage } from '@phaseline/client';
import { DataTable, type Column } from '../ui/data-table.js';
import { formatCount, formatUsd } from '../ui/format.js';
import { KeyValues } from '../ui/key-values.js';
import { Meter } from '../ui/meter.js';
import { Empty } from '../ui/notice.js';
import { listPhaseCosts, type PhaseCost } from './phase-costs.js';

const columns: readonly Column<PhaseCost>[] = [
  {
    key: 'phase',
    title: 'Phase',
    render: ({ phase, name, isRunning }) => (
      <>
        {phase}. {name} {isRunning ? <span className="muted">(so far)</span> : null}
      </>
    ),
  },
  { key: 'steps', title: 'Steps', isNumber: true, render: ({ usage }) => formatCount(usage.steps) },
  { key: 'in', title: 'Tokens in', isNumber: true, render: ({ usage }) => formatCount(usage.inputTokens) },
  { key: 'out', title: 'Out', isNumber: true, render: ({ usage }) => formatCount(usage.outputTokens) },
  { key: 'money', title: 'Money', isNumber: true, render: ({ usage }) => formatUsd(usage.costMicroUsd) },
];

/** What the job has used until the slider, of what it may use, and in which phases. */
export function MoneyPanel({ state }: { readonly state: JobStateResponse }) {
  const { usage, job } = state;
  const budgets = readObject(job, 'budgets');
  const maxCostUsd = readCount(budgets, 'maxCostUsd');
  const unconfirmed = readCount(readObject(job, 'unconfirmed'), 'costMicroUsd') ?? 0;
  const costs = listPhaseCosts(state);
  return (
    <div className="stack">
      <KeyValues
        items={[
          [
            'Money',
            <Share
              key="money"
              used={usage.costMicroUsd}
              limit={maxCostUsd === undefined ? undefined : maxCostUsd * 1_000_000}
              format={formatUsd}
            />,
          ],
          [
            'Tokens',
            <Share
              key="tokens"
              used={usage.inputTokens + usage.outputTokens}
              limit={readCount(budgets, 'maxTokens')}
              format={formatCount}
            />,
          ],
          [
            'Phases',
            <Share key="phases" used={costs.length} limit={readCount(budgets, 'maxPhases')} format={formatCount} />,
          ],
          ['Unconfirmed', unconfirmed === 0 ? '' : `at most ${formatUsd(unconfirmed)} of calls whose answer was lost`],
          ['Per step', usage.steps === 0 ? '' : formatUsd(Math.round(usage.costMicroUsd / usage.steps))],
          ['From the cache', usage.inputTokens === 0 ? '' : describeCached(usage)],
        ]}
      />
      {costs.length === 0 ? (
        <Empty>No phase has started at this event.</Empty>
      ) : (
        <DataTable
          label="Money by phase"
          rows={costs.toReversed()}
          rowKey={({ phase }) => String(phase)}
          columns={columns}
        />
      )}
    </div>
  );
}

function describeCached({ cachedInputTokens, inputTokens }: Usage): string {
  return `${Math.round((cachedInputTokens / inputTokens) * 100)} % of the input`;
}

function Share({
  used,
  limit,
  format,
}: {
  readonly used: number;
  readonly limit: number | undefined;
  readonly format: (value: number) => string;
}) {
  if (limit === undefined) return <>{format(used)}, no limit</>;
  const text = `${format(used)} of ${format(limit)}`;
  return (
    <>
      {text}
      <Meter label={text} value={used} max={limit} />
    </>
  );
}
