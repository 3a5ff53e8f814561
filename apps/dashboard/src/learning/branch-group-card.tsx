import { computeWilsonInterval } from '@phaseline/basics';
import { formatShare, type JobSummary, type Usage } from '@phaseline/client';
import { Link } from 'wouter';
import { StatusBadge } from '../ui/badge.js';
import { Card } from '../ui/card.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { formatCount, formatUsd, pluralise } from '../ui/format.js';
import { LazyDetails } from '../ui/lazy-details.js';
import { DateTime } from '../ui/time.js';
import { EventLink } from './event-link.js';
import { countBranches, type BranchCounts, type BranchGroup, type BranchSide } from './group-branches.js';
import { keyOfOrigin, useOrigins, type BranchOrigin } from './use-branches.js';

type Spent = BranchOrigin['carried'];

interface SideRow extends BranchCounts {
  readonly side: BranchSide;
  readonly changes: string;
  /** Mean per branch, without what its parent had used; undefined until it is known. */
  readonly mean?: Spent;
}

interface BranchRow {
  readonly title: string;
  readonly job: JobSummary;
  readonly position: number;
  readonly origin: BranchOrigin | undefined;
}

/** One experiment or bisection: its sides in rows, and each branch beside its parent. */
export function BranchGroupCard({ group }: { readonly group: BranchGroup }) {
  const { kind, run, newest, sides } = group;
  const origins = useOrigins(group);
  const rows = sides.filter(({ branches }) => branches.length > 0).map((side) => describeSide(side, origins));
  const same = sides.filter(({ kind: side, branches }) => side === 'candidate' && branches.length === 0);
  const branches = sides.flatMap(({ key, title, branches: ofSide }) =>
    ofSide.map(({ position, job }): BranchRow => ({
      ...{ title, job, position },
      origin: origins.get(keyOfOrigin(key, position)),
    })),
  );
  return (
    <Card
      title={
        <span className="wrap-anywhere">{`${kind === 'experiment' ? 'Experiment' : 'Bisection'}, run ${run}`}</span>
      }
      actions={
        <span className="muted">
          <DateTime at={newest} />
        </span>
      }
    >
      <div className="stack-small">
        {rows.length === 0 ? null : (
          <DataTable
            label={`Sides of the ${kind} ${run}`}
            columns={sideColumns}
            rows={rows}
            rowKey={({ side }) => side.key}
          />
        )}
        {same.map(({ key, title, probes }) => (
          <p key={key} className="muted">
            {title}: asked at {pluralise(probes, 'prompt')}. No branch was followed, because its calls were the recorded
            ones, or the command was stopped.
          </p>
        ))}
        {branches.length === 0 ? null : (
          <LazyDetails summary={pluralise(branches.length, 'branch', 'branches')}>
            {() => (
              <DataTable
                label={`Branches of the ${kind} ${run}`}
                columns={branchColumns}
                rows={branches}
                rowKey={({ job }) => job.jobId}
              />
            )}
          </LazyDetails>
        )}
      </div>
    </Card>
  );
}

function describeSide(side: BranchSide, origins: ReadonlyMap<string, BranchOrigin>): SideRow {
  const found = side.branches.flatMap(({ position, job }) => {
    const origin = origins.get(keyOfOrigin(side.key, position));
    return origin ? [{ origin, spent: subtract(job.usage, origin.carried) }] : [];
  });
  const [first] = found;
  const mean = (name: keyof Spent): number =>
    Math.round(found.reduce((sum, { spent }) => sum + spent[name], 0) / found.length);
  return {
    side,
    changes: side.kind === 'candidate' ? (first?.origin.changes ?? '') : '',
    ...countBranches(side),
    ...(first && found.length === side.branches.length
      ? {
          mean: {
            inputTokens: mean('inputTokens'),
            outputTokens: mean('outputTokens'),
            costMicroUsd: mean('costMicroUsd'),
          },
        }
      : {}),
  };
}

function subtract(usage: Usage, carried: Spent): Spent {
  return {
    inputTokens: usage.inputTokens - carried.inputTokens,
    outputTokens: usage.outputTokens - carried.outputTokens,
    costMicroUsd: usage.costMicroUsd - carried.costMicroUsd,
  };
}

const sideColumns: readonly Column<SideRow>[] = [
  {
    key: 'side',
    title: 'Branches',
    render: ({ side, changes, stopped, open }) => (
      <>
        <strong className="wrap-anywhere">{changes === '' ? side.title : changes}</strong>
        <p className="muted">
          {[
            changes === '' ? '' : side.title.toLowerCase(),
            side.probes === 0 ? '' : `asked at ${pluralise(side.probes, 'prompt')}`,
            open === 0 ? '' : `${formatCount(open)} not ended`,
            stopped === 0 ? '' : `${formatCount(stopped)} stopped by the budget`,
          ]
            .filter((text) => text !== '')
            .join('; ')}
        </p>
      </>
    ),
  },
  {
    key: 'runs',
    title: 'Runs',
    isNumber: true,
    isSecondary: true,
    render: ({ side }) => formatCount(side.branches.length),
  },
  {
    key: 'completed',
    title: 'Completed',
    isNumber: true,
    isSecondary: true,
    render: ({ completed }) => formatCount(completed),
  },
  { key: 'failed', title: 'Failed', isNumber: true, isSecondary: true, render: ({ failed }) => formatCount(failed) },
  { key: 'rate', title: 'Pass rate', isNumber: true, render: (row) => <PassRate {...row} /> },
  {
    key: 'cost',
    title: 'Mean cost',
    isNumber: true,
    render: ({ mean }) => (mean ? formatUsd(mean.costMicroUsd) : '–'),
  },
  {
    key: 'tokens',
    title: 'Mean tokens, in and out',
    isNumber: true,
    isSecondary: true,
    render: ({ mean }) => (mean ? `${formatCount(mean.inputTokens)}, ${formatCount(mean.outputTokens)}` : '–'),
  },
];

function PassRate({ completed, failed }: BranchCounts) {
  const ended = completed + failed;
  if (ended === 0) return '–';
  const [low, high] = computeWilsonInterval(completed, ended);
  return (
    <>
      <strong>{formatShare(completed / ended)}</strong>{' '}
      <span className="nowrap">
        ({formatShare(low)} to {formatShare(high)})
      </span>
    </>
  );
}

const branchColumns: readonly Column<BranchRow>[] = [
  { key: 'side', title: 'Of', isSecondary: true, render: ({ title }) => title },
  {
    key: 'job',
    title: 'Branch',
    render: ({ job: { jobId, agent } }) => (
      <Link href={`/jobs/${jobId}`} title={jobId}>
        {agent} …{jobId.slice(-8)}
      </Link>
    ),
  },
  { key: 'status', title: 'Status', render: ({ job }) => <StatusBadge status={job.status} /> },
  {
    key: 'parent',
    title: 'Forked from',
    isSecondary: true,
    render: ({ origin, position }) => (origin ? <EventLink jobId={origin.parentId} position={position} /> : '–'),
  },
  {
    key: 'compare',
    title: 'With its parent',
    render: ({ origin, job }) =>
      origin ? (
        <Link href={`/compare/${origin.parentId}/${job.jobId}`}>
          Compare<span className="visually-hidden"> {job.jobId} with its parent</span>
        </Link>
      ) : (
        '–'
      ),
  },
];
