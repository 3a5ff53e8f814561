import type { ProcessRecord } from '@phaseline/client';
import { useQuery } from '@tanstack/react-query';
import { processesQuery } from '../api/queries.js';
import { useRights } from '../api/use-rights.js';
import { Badge } from '../ui/badge.js';
import { Card } from '../ui/card.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { formatDuration } from '../ui/format.js';
import { QueryView } from '../ui/query-view.js';
import { Ago } from '../ui/time.js';
import './settings.css';

/** What runs here, and where to read more. */
export function AboutTab() {
  const can = useRights();
  return (
    <div className="stack">
      <Card title="Phaseline">
        <ul className="stack-small">
          <li>
            <a href="/docs">Reference of the HTTP API</a>
          </li>
          <li>
            <a href="/health">State of this server</a> and its <a href="/metrics">metrics</a>
          </li>
        </ul>
      </Card>
      {can('processes:read') ? <Processes /> : null}
    </div>
  );
}

function Processes() {
  const query = useQuery(processesQuery);
  return (
    <Card title="Processes">
      <QueryView query={query}>
        {(processes) => (
          <div className="stack">
            <p>Releases that run: {listReleases(processes)}</p>
            <DataTable label="Processes" columns={columns} rows={processes} rowKey={({ processId }) => processId} />
          </div>
        )}
      </QueryView>
    </Card>
  );
}

function listReleases(processes: readonly ProcessRecord[]): string {
  const alive = processes.filter(({ isDead }) => !isDead);
  return [...new Set(alive.map(({ version }) => version))].toSorted().join(', ');
}

const columns: readonly Column<ProcessRecord>[] = [
  { key: 'service', title: 'Service', render: ({ service }) => service },
  {
    key: 'state',
    title: 'State',
    render: ({ isDead, problems }) =>
      isDead ? (
        <Badge tone="bad" glyph="✕">
          silent
        </Badge>
      ) : problems.length > 0 ? (
        <Badge tone="warn" glyph="!">
          has problems
        </Badge>
      ) : (
        <Badge tone="ok" glyph="✓">
          alive
        </Badge>
      ),
  },
  { key: 'version', title: 'Release', render: ({ version }) => <code>{version}</code> },
  {
    key: 'host',
    title: 'Host',
    isSecondary: true,
    render: ({ host, pid }) => `${host}${pid === undefined ? '' : `, ${pid}`}`,
  },
  { key: 'started', title: 'Started', isSecondary: true, render: ({ startedAt }) => <Ago at={startedAt} /> },
  {
    key: 'heard',
    title: 'Last heard of',
    isNumber: true,
    render: ({ heartbeatAgeMs }) => `${formatDuration(heartbeatAgeMs)} ago`,
  },
];
