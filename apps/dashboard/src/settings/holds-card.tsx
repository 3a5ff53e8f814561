import type { HoldRecord } from '@phaseline/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { client } from '../api/client.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { Empty } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';
import { DateTime } from '../ui/time.js';
import './settings.css';

/** Number of holds that are shown. The command `phaseline holds` lists all. */
const MAX_SHOWN = 200;

/** The jobs of which nothing is removed or erased. */
export function HoldsCard() {
  const [releasing, setReleasing] = useState<HoldRecord>();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ['holds'],
    queryFn: ({ signal }) => readHolds(signal),
    refetchInterval: 30_000,
  });
  const release = async ({ jobId }: HoldRecord, reason: string): Promise<void> => {
    await client.holds.release(jobId, { reason });
    await queries.invalidateQueries({ queryKey: ['holds'] });
  };
  return (
    <Card title="Holds">
      <QueryView query={query}>
        {(holds) =>
          holds.length === 0 ? (
            <Empty>No job is on hold. A hold keeps everything of a job until it is released.</Empty>
          ) : (
            <>
              <DataTable
                label="Holds"
                columns={[...columns, releaseColumn(setReleasing)]}
                rows={holds}
                rowKey={({ jobId }) => jobId}
              />
              {holds.length === MAX_SHOWN ? <p className="muted">Only the oldest {MAX_SHOWN} are shown.</p> : null}
            </>
          )
        }
      </QueryView>
      {releasing ? (
        <ConfirmDialog
          title="Release the hold?"
          confirmLabel="Release"
          danger
          reasonLabel="Reason"
          reasonRequired
          onConfirm={(reason) => release(releasing, reason)}
          onClose={() => setReleasing(undefined)}
        >
          <p>Retention may then remove the files of job {releasing.jobId}, and its content may be erased.</p>
        </ConfirmDialog>
      ) : null}
    </Card>
  );
}

async function readHolds(signal: AbortSignal): Promise<readonly HoldRecord[]> {
  const holds: HoldRecord[] = [];
  for await (const hold of client.holds.list({ limit: MAX_SHOWN }, { signal })) {
    holds.push(hold);
    if (holds.length === MAX_SHOWN) break;
  }
  return holds;
}

const columns: readonly Column<HoldRecord>[] = [
  {
    key: 'job',
    title: 'Job',
    render: ({ jobId }) => (
      <Link href={`/jobs/${jobId}`} className="mono wrap-anywhere">
        {jobId}
      </Link>
    ),
  },
  { key: 'tenant', title: 'Tenant', isSecondary: true, render: ({ tenant }) => tenant },
  {
    key: 'reason',
    title: 'Reason',
    render: ({ reason }) =>
      reason === undefined ? <span className="muted">encrypted</span> : <span className="wrap-anywhere">{reason}</span>,
  },
  {
    key: 'placed',
    title: 'Placed',
    isSecondary: true,
    render: ({ placedAt, actor }) => (
      <>
        <DateTime at={placedAt} /> <span className="muted">by {actor}</span>
      </>
    ),
  },
];

function releaseColumn(ask: (hold: HoldRecord) => void): Column<HoldRecord> {
  return {
    key: 'actions',
    title: <span className="visually-hidden">Actions</span>,
    render: (hold) => (
      <div className="row settings-actions">
        <Button aria-label={`Release the hold on ${hold.jobId}`} onClick={() => ask(hold)}>
          Release
        </Button>
      </div>
    ),
  };
}
