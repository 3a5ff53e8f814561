import type { AgentList } from '@phaseline/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { agentsQuery } from '../api/queries.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { Empty } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { QueryView } from '../ui/query-view.js';
import { AgentPage } from './agent-page.js';
import { Problems } from './problems.js';
import { useOpenJobs } from './use-open-jobs.js';
import { ValidateDialog } from './validate-dialog.js';

type Agent = AgentList['items'][number];

export default function AgentsScreen() {
  const { agent } = useParams<{ agent?: string }>();
  return agent === undefined ? <AgentTable /> : <AgentPage key={agent} name={agent} />;
}

function AgentTable() {
  const [isValidating, setValidating] = useState(false);
  const query = useQuery(agentsQuery);
  const countOpen = useOpenJobs();
  return (
    <Page
      title="Agents"
      actions={
        <>
          <Button disabled={query.isFetching} onClick={() => void query.refetch()}>
            Read the files again
          </Button>
          <Button onClick={() => setValidating(true)}>Check a definition…</Button>
        </>
      }
    >
      <QueryView query={query}>
        {({ items, problems = [], unusable = [] }) => (
          <>
            {problems.length > 0 ? <Problems problems={problems} unusable={unusable} /> : null}
            {items.length === 0 ? (
              <Empty>The server has no agent. Put a folder with an agent.yaml into its folder of agents.</Empty>
            ) : (
              <DataTable label="Agents" columns={listColumns(countOpen)} rows={items} rowKey={({ name }) => name} />
            )}
          </>
        )}
      </QueryView>
      {isValidating ? <ValidateDialog onClose={() => setValidating(false)} /> : null}
    </Page>
  );
}

function listColumns(countOpen: (agent: string) => string): readonly Column<Agent>[] {
  return [
    {
      key: 'name',
      title: 'Agent',
      render: ({ name, displayName }) => (
        <>
          <Link href={`/agents/${name}`}>{displayName}</Link>
          <div className="muted mono">{name}</div>
        </>
      ),
    },
    {
      key: 'description',
      title: 'Description',
      render: ({ description }) => <span className="wrap-anywhere">{description}</span>,
    },
    { key: 'workflow', title: 'Workflow', isSecondary: true, render: ({ workflow }) => workflow },
    {
      key: 'deliverables',
      title: 'Delivers',
      isSecondary: true,
      render: ({ deliverables }) => <span className="wrap-anywhere">{deliverables.join(', ') || '–'}</span>,
    },
    {
      key: 'running',
      title: 'Open jobs',
      isNumber: true,
      render: ({ name }) => countOpen(name),
    },
    {
      key: 'state',
      title: 'Definition',
      render: ({ isOutdated }) =>
        isOutdated === true ? (
          <Badge tone="warn" glyph="!">
            older version
          </Badge>
        ) : (
          <Badge tone="ok" glyph="✓">
            current
          </Badge>
        ),
    },
  ];
}
