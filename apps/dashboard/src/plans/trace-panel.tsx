import type { PlanStep } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { DataTable, type Column } from '../ui/data-table.js';
import { formatDuration, formatUsd, pluralise } from '../ui/format.js';
import { Empty } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';
import { titleOfStage } from './list-stages.js';
import { usePlanTrace } from './use-plans.js';

interface NumberedStep extends PlanStep {
  readonly number: number;
}

/** Every step of the plan. The sum of their costs is the money of the job. */
export function TracePanel({ planId }: { readonly planId: JobId }) {
  const trace = usePlanTrace(planId);
  return (
    <QueryView query={trace}>
      {({ items, costMicroUsd }) =>
        items.length === 0 ? (
          <Empty>The plan has no step yet.</Empty>
        ) : (
          <div className="stack-small">
            <p>
              {pluralise(items.length, 'step')}, <strong>{formatUsd(costMicroUsd)}</strong> in total: the money of the
              job.
            </p>
            <DataTable
              label="Steps"
              columns={columns}
              rows={items.map((step, index) => ({ ...step, number: index + 1 }))}
              rowKey={({ number }) => String(number)}
            />
          </div>
        )
      }
    </QueryView>
  );
}

const columns: readonly Column<NumberedStep>[] = [
  { key: 'number', title: '#', isNumber: true, render: ({ number }) => number },
  { key: 'stage', title: 'Stage', render: ({ stage }) => (stage === null ? '' : titleOfStage(stage)) },
  {
    key: 'tool',
    title: 'Tool',
    render: ({ tool, memo }) => (
      <>
        {tool === null ? <span className="muted">model</span> : <code>{tool}</code>}
        {memo ? <div className="muted">same as an earlier call</div> : null}
      </>
    ),
  },
  {
    key: 'duration',
    title: 'Duration',
    isNumber: true,
    isSecondary: true,
    render: ({ durationMs }) => <span className="nowrap">{durationMs === null ? '' : formatDuration(durationMs)}</span>,
  },
  {
    key: 'confidence',
    title: 'Confidence',
    isNumber: true,
    render: ({ confidence }) => (confidence === null ? '' : confidence.toFixed(2)),
  },
  { key: 'cost', title: 'Cost', isNumber: true, render: ({ costDelta }) => formatUsd(costDelta) },
  {
    key: 'violations',
    title: 'Violations',
    render: ({ violations }) => <span className="wrap-anywhere">{violations.join(', ')}</span>,
  },
  {
    key: 'adaptations',
    title: 'Changes',
    isNumber: true,
    isSecondary: true,
    render: ({ adaptations }) => (adaptations === 0 ? '' : adaptations),
  },
  {
    key: 'explanations',
    title: 'Explanation',
    isSecondary: true,
    render: ({ explanations }) => <span className="plan-explanation">{explanations.join('\n')}</span>,
  },
];
