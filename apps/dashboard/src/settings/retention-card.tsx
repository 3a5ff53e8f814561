import type { RetentionSettingRecord } from '@phaseline/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { formatDuration, pluralise } from '../ui/format.js';
import { Empty } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';
import { DateTime } from '../ui/time.js';
import { RetentionDialog } from './retention-dialog.js';
import { RetentionRun } from './retention-run.js';
import './settings.css';

/** Reads how long tenants keep files, and the newest run. */
function useRetention() {
  return useQuery({
    queryKey: ['retention'],
    queryFn: ({ signal }) => client.retention.get({ signal }),
    refetchInterval: 10_000,
  });
}

/** How long tenants keep what their ended jobs leave behind. */
export function RetentionCard() {
  const query = useRetention();
  const [asked, setAsked] = useState<RetentionSettingRecord | 'new'>();
  return (
    <Card title="Retention" actions={<Button onClick={() => setAsked('new')}>Set retention</Button>}>
      <QueryView query={query}>
        {({ tenants, automaticEveryMs, lastRun }) => (
          <div className="stack">
            {tenants.length === 0 ? (
              <Empty>Every tenant keeps what its jobs leave behind for ever.</Empty>
            ) : (
              <DataTable
                label="Retention"
                columns={[...columns, changeColumn(setAsked)]}
                rows={tenants}
                rowKey={({ tenant }) => tenant}
              />
            )}
            <p className="muted">
              {automaticEveryMs === undefined
                ? 'No run starts by itself.'
                : `A run starts by itself every ${formatDuration(automaticEveryMs)}.`}
            </p>
            <RetentionRun lastRun={lastRun} />
          </div>
        )}
      </QueryView>
      {asked === undefined ? null : (
        <RetentionDialog setting={asked === 'new' ? undefined : asked} onClose={() => setAsked(undefined)} />
      )}
    </Card>
  );
}

const columns: readonly Column<RetentionSettingRecord>[] = [
  { key: 'tenant', title: 'Tenant', render: ({ tenant }) => <span className="wrap-anywhere">{tenant}</span> },
  { key: 'files', title: 'Files', render: ({ filesDays }) => formatDays(filesDays, 'for ever') },
  { key: 'vectors', title: 'Vectors', render: ({ vectorsDays }) => formatDays(vectorsDays, 'as long as the files') },
  { key: 'learning', title: 'Learning traces', render: ({ learningDays }) => formatDays(learningDays, 'for ever') },
  { key: 'cold', title: 'Cold storage after', render: ({ coldDays }) => formatDays(coldDays, 'never') },
  {
    key: 'changed',
    title: 'Changed',
    isSecondary: true,
    render: ({ changedAt, changedBy }) =>
      changedAt === null ? (
        <span className="muted">not recorded</span>
      ) : (
        <>
          <DateTime at={changedAt} /> <span className="muted">by {changedBy}</span>
        </>
      ),
  },
];

function formatDays(days: number | null, otherwise: string): string {
  return days === null ? otherwise : pluralise(days, 'day');
}

function changeColumn(ask: (setting: RetentionSettingRecord) => void): Column<RetentionSettingRecord> {
  return {
    key: 'actions',
    title: <span className="visually-hidden">Actions</span>,
    render: (setting) => (
      <div className="row settings-actions">
        <Button aria-label={`Change the retention of ${setting.tenant}`} onClick={() => ask(setting)}>
          Change
        </Button>
      </div>
    ),
  };
}
