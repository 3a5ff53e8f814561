import type { ProcessRecord } from '@phaseline/client';
import { Badge } from '../ui/badge.js';
import { Card } from '../ui/card.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { formatDuration } from '../ui/format.js';
import { QueryView } from '../ui/query-view.js';
import { useProcesses } from './use-overview.js';

const columns: readonly Column<ProcessRecord>[] = [
  {
    key: 'service',
    title: 'Process',
    render: ({ service, host, pid }) => (
      <>
        <strong>{service}</strong>
        <br />
        <span className="muted wrap-anywhere">
          {host}
          {pid === undefined ? '' : `, ${pid}`}
        </span>
      </>
    ),
  },
  {
    key: 'load',
    title: 'Load',
    isNumber: true,
    render: ({ load }) => (load === undefined ? '–' : `${load.running} of ${load.concurrency}`),
  },
  {
    key: 'heartbeat',
    title: 'Heartbeat',
    isNumber: true,
    render: ({ heartbeatAgeMs }) => `${formatDuration(heartbeatAgeMs)} ago`,
  },
  { key: 'state', title: 'State', render: (process) => <State process={process} /> },
];

/** The processes by service, with their load and the age of their last heartbeat. */
export function Workers() {
  const processes = useProcesses();
  return (
    <Card title="Processes">
      <QueryView query={processes}>
        {(rows) => (
          <DataTable
            label="Processes"
            columns={columns}
            rows={rows.toSorted((a, b) => a.service.localeCompare(b.service))}
            rowKey={({ processId }) => processId}
          />
        )}
      </QueryView>
    </Card>
  );
}

function State({ process: { isDead, problems } }: { readonly process: ProcessRecord }) {
  if (isDead)
    return (
      <Badge tone="bad" glyph="✕">
        Dead
      </Badge>
    );
  if (problems.length === 0)
    return (
      <Badge tone="ok" glyph="●">
        Ready
      </Badge>
    );
  return (
    <>
      <Badge tone="warn" glyph="▲">
        Problem
      </Badge>
      <p className="wrap-anywhere">{problems.join(' ')}</p>
    </>
  );
}
