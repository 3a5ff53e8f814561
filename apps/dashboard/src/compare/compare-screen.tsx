import type { ComparedJob, JobComparisonResponse } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import { client } from '../api/client.js';
import { StatusBadge } from '../ui/badge.js';
import { Card } from '../ui/card.js';
import { DataTable } from '../ui/data-table.js';
import { formatCount, formatUsd } from '../ui/format.js';
import { Page } from '../ui/page.js';
import { QueryView } from '../ui/query-view.js';
import { FileDifferences } from './file-differences.js';
import { FirstDifference } from './first-difference.js';

/** Two jobs side by side, usually a job and its fork. */
export default function CompareScreen() {
  const { jobId, otherJobId } = useParams<{ jobId: string; otherJobId: string }>();
  const [left, right] = [jobId as JobId, otherJobId as JobId];
  const comparison = useQuery({
    // A hint about either job requests the comparison again.
    queryKey: ['jobs', 'comparison', left, right],
    queryFn: ({ signal }) => client.compare(left, right, { signal }),
    refetchInterval: 10_000,
  });
  return (
    <Page title={`Compare ${left.slice(0, 8)} and ${right.slice(0, 8)}`}>
      <QueryView query={comparison}>{(data) => <Comparison data={data} />}</QueryView>
    </Page>
  );
}

interface ComparedFact {
  readonly title: string;
  readonly show: (job: ComparedJob) => React.ReactNode;
  /** Right minus left, where it is a number. */
  readonly change?: string;
}

function Comparison({ data }: { readonly data: JobComparisonResponse }) {
  const { left, right, usageChange } = data;
  const facts: readonly ComparedFact[] = [
    { title: 'Job', show: ({ jobId }) => <Link href={`/jobs/${jobId}`}>{jobId}</Link> },
    { title: 'Agent', show: ({ agent }) => agent },
    { title: 'Status', show: ({ status }) => <StatusBadge status={status} /> },
    { title: 'Result', show: ({ result, failure }) => result?.summary ?? failure?.message ?? '–' },
    {
      title: 'Forked',
      show: ({ fork }) => (fork ? `from ${fork.parent.jobId} at ${fork.position}, ${fork.mode}` : '–'),
    },
    { title: 'Phases', show: ({ phaseCount }) => formatCount(phaseCount) },
    {
      title: 'Steps',
      show: ({ usage }) => formatCount(usage.steps),
      change: formatChange(usageChange.steps, formatCount),
    },
    {
      title: 'Tokens in',
      show: ({ usage }) => formatCount(usage.inputTokens),
      change: formatChange(usageChange.inputTokens, formatCount),
    },
    {
      title: 'Tokens out',
      show: ({ usage }) => formatCount(usage.outputTokens),
      change: formatChange(usageChange.outputTokens, formatCount),
    },
    {
      title: 'Money',
      show: ({ usage }) => formatUsd(usage.costMicroUsd),
      change: formatChange(usageChange.costMicroUsd, formatUsd),
    },
    { title: 'Files', show: ({ fileCount }) => formatCount(fileCount) },
  ];
  return (
    <>
      <Card title="Outcome">
        <DataTable
          label="Both jobs"
          rows={facts}
          rowKey={({ title }) => title}
          columns={[
            { key: 'title', title: '', render: ({ title }) => <strong>{title}</strong> },
            { key: 'left', title: 'Left', render: ({ show }) => <span className="wrap-anywhere">{show(left)}</span> },
            {
              key: 'right',
              title: 'Right',
              render: ({ show }) => <span className="wrap-anywhere">{show(right)}</span>,
            },
            { key: 'change', title: 'Change', isNumber: true, render: ({ change }) => change ?? '' },
          ]}
        />
      </Card>
      <FirstDifference data={data} />
      <FileDifferences data={data} />
    </>
  );
}

function formatChange(change: number, format: (value: number) => string): string {
  if (change === 0) return 'same';
  return `${change > 0 ? '+' : '−'}\u00a0${format(Math.abs(change))}`;
}
