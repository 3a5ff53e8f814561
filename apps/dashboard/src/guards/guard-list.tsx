import type { GuardSummaryRecord } from '@phaseline/client';
import { Link } from 'wouter';
import { Badge } from '../ui/badge.js';
import { Card } from '../ui/card.js';
import { Command } from '../ui/code.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { Empty } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { QueryView } from '../ui/query-view.js';
import { linkToGuard, useGuards } from './use-guards.js';

const columns: readonly Column<GuardSummaryRecord>[] = [
  { key: 'name', title: 'Guard', render: (guard) => <Link href={linkToGuard(guard)}>{guard.name}</Link> },
  {
    key: 'scope',
    title: 'Of',
    render: ({ tenant }) => (tenant === undefined ? 'the installation' : `tenant ${tenant}`),
  },
  { key: 'kind', title: 'Kind', isSecondary: true, render: ({ kind }) => kind },
  { key: 'owner', title: 'Owner', isSecondary: true, render: ({ owner }) => owner },
  { key: 'stage', title: 'Stage', render: (guard) => <Stage guard={guard} /> },
  {
    key: 'version',
    title: 'Newest version',
    isSecondary: true,
    render: ({ newest }) => <code>{newest.number ?? newest.version.slice(0, 12)}</code>,
  },
];

/** All guards that the caller may see. Guards of agents are part of the agents. */
export function GuardList() {
  const guards = useGuards();
  return (
    <Page title="Guards">
      <Card title="Guards of the installation and of tenants">
        <QueryView query={guards}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty>
                No guard is stored. Add one with <Command text="phaseline guards add FILE" />
              </Empty>
            ) : (
              <DataTable label="Guards" columns={columns} rows={rows} rowKey={linkToGuard} />
            )
          }
        </QueryView>
      </Card>
    </Page>
  );
}

/** How far the guard has come: only a version in production has an effect. */
export function Stage({ guard: { production, shadow } }: { readonly guard: GuardSummaryRecord }) {
  if (production)
    return (
      <Badge tone="ok" glyph="●">
        production
      </Badge>
    );
  if (shadow)
    return (
      <Badge tone="warn" glyph="◐">
        shadow
      </Badge>
    );
  return <Badge glyph="○">draft</Badge>;
}
