import type { JobSummary } from '@phaseline/client';
import { Link } from 'wouter';
import { StatusBadge } from '../ui/badge.js';
import { formatUsd } from '../ui/format.js';
import { Ago } from '../ui/time.js';
import type { VirtualColumn } from '../ui/virtual-table.js';

/** Columns of the list. Those of the right are left out where the window is narrow. */
export function listColumns(isNarrow: boolean, hasTenants: boolean): readonly VirtualColumn<JobSummary>[] {
  const columns: readonly (VirtualColumn<JobSummary> | false)[] = [
    { key: 'status', title: 'Status', width: '150px', render: ({ status }) => <StatusBadge status={status} /> },
    {
      key: 'job',
      title: 'Job',
      width: 'minmax(110px, 1fr)',
      render: ({ jobId, agent }) => (
        <Link href={`/jobs/${jobId}`} title={jobId}>
          {agent} {jobId.slice(0, 8)}
        </Link>
      ),
    },
    hasTenants && !isNarrow && { key: 'tenant', title: 'Tenant', width: '110px', render: ({ tenant }) => tenant ?? '' },
    !isNarrow && { key: 'phase', title: 'Phase', width: 'minmax(0, 1.2fr)', render: describePhase },
    !isNarrow && { key: 'waits', title: 'Waits for', width: '170px', render: (job) => <Waits job={job} /> },
    !isNarrow && {
      key: 'cost',
      title: 'Money',
      width: '80px',
      isNumber: true,
      render: ({ usage }) => formatUsd(usage.costMicroUsd),
    },
    {
      key: 'age',
      title: 'Submitted',
      width: '130px',
      isNumber: true,
      render: ({ createdAt }) => <Ago at={createdAt} />,
    },
    !isNarrow && { key: 'labels', title: 'Labels', width: 'minmax(0, 0.8fr)', render: describeLabels },
  ];
  return columns.filter((column) => column !== false);
}

function describePhase({ phase }: JobSummary) {
  if (phase === undefined) return <span className="muted">none yet</span>;
  const { number, name, todosDone, todosTotal } = phase;
  return (
    <span title={name}>
      {number}. {name}
      <span className="muted"> {todosTotal === 0 ? '' : `${todosDone}/${todosTotal}`}</span>
    </span>
  );
}

function Waits({ job: { waiting } }: { readonly job: JobSummary }) {
  if (waiting === undefined) return null;
  return (
    <>
      {waiting.kind}, <Ago at={waiting.since} suffix="" />
    </>
  );
}

function describeLabels({ labels = {} }: JobSummary) {
  const text = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
  return <span title={text}>{text}</span>;
}
