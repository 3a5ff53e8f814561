import type { JobSummary } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useCallback, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useRights } from '../api/use-rights.js';
import { LinkButton } from '../ui/button.js';
import { Loading } from '../ui/loading.js';
import { Empty, ErrorNotice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { useIsNarrow } from '../ui/use-is-narrow.js';
import { VirtualTable, type VirtualColumn } from '../ui/virtual-table.js';
import { BulkActions } from './bulk-actions.js';
import { FilterBar } from './filter-bar.js';
import { listColumns } from './job-columns.js';
import { isFiltered, readFilters, type JobFilters } from './job-filters.js';
import type { Selection } from './selection.js';
import { useFacets, useJobs } from './use-jobs.js';
import { useSelection } from './use-selection.js';
import './jobs.css';

/** All jobs that the caller may see, filtered, and what can be done with many of them. */
export default function JobsScreen() {
  const [params, setParams] = useSearchParams();
  const filters = useMemo(() => readFilters(params), [params]);
  const change = useCallback(
    (part: Partial<JobFilters>) => {
      // A filter that is typed takes effect later. It must not bring back a person who has opened a job meanwhile.
      if (location.pathname !== '/jobs') return;
      setParams(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [name, value] of Object.entries(part))
            if (value === '') after.delete(name);
            else after.set(name, value);
          return after;
        },
        { replace: true },
      );
    },
    [setParams],
  );
  const can = useRights();
  return (
    <Page
      title="Jobs"
      fill
      actions={
        can('jobs:submit') ? (
          <LinkButton to="/submit" variant="primary">
            Submit a job
          </LinkButton>
        ) : null
      }
    >
      <FilterBar filters={filters} onChange={change} />
      {/* Other filters are another list, in which nothing is chosen: no action may concern jobs that nobody sees. */}
      <MatchingJobs key={params.toString()} filters={filters} />
    </Page>
  );
}

/** The jobs that match, and what can be done with those that are chosen. */
function MatchingJobs({ filters }: { readonly filters: JobFilters }) {
  const can = useRights();
  const list = useJobs(filters);
  const chosen = useSelection(list.jobs);
  const [isAll, setAll] = useState(false);
  const selection: Selection = isAll
    ? { kind: 'matching', filter: list.conditions }
    : { kind: 'jobs', jobIds: chosen.jobIds };
  const clear = (): void => {
    setAll(false);
    chosen.clear();
  };
  return (
    <>
      {isAll || chosen.jobIds.size > 0 ? (
        <BulkActions selection={selection} onSelectMatching={() => setAll(true)} onClear={clear} />
      ) : null}
      {list.error ? <ErrorNotice error={list.error} onRetry={() => void list.refetch()} /> : null}
      <JobList
        jobs={list.jobs}
        isLoading={list.isPending}
        emptyText={isFiltered(filters) ? 'No job matches these filters.' : 'There is no job yet.'}
        selection={can('jobs:control') ? { jobIds: chosen.jobIds, isAll, toggle: chosen.toggle } : undefined}
        onEnd={() => {
          if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
        }}
      />
    </>
  );
}

interface ListSelection {
  readonly jobIds: ReadonlySet<JobId>;
  readonly isAll: boolean;
  readonly toggle: (jobId: JobId, withRange: boolean) => void;
}

function JobList({
  jobs,
  isLoading,
  emptyText,
  selection,
  onEnd,
}: {
  readonly jobs: readonly JobSummary[];
  readonly isLoading: boolean;
  readonly emptyText: string;
  readonly selection: ListSelection | undefined;
  readonly onEnd: () => void;
}) {
  const isNarrow = useIsNarrow();
  const { data: facets } = useFacets();
  const hasTenants = (facets?.tenants.length ?? 0) > 1;
  const columns = useMemo(
    () => [...(selection === undefined ? [] : [buildChoice(selection)]), ...listColumns(isNarrow, hasTenants)],
    [selection, isNarrow, hasTenants],
  );
  if (isLoading) return <Loading />;
  if (jobs.length === 0) return <Empty>{emptyText}</Empty>;
  return <VirtualTable label="Jobs" columns={columns} rows={jobs} rowKey={({ jobId }) => jobId} onEnd={onEnd} />;
}

function buildChoice({ jobIds, isAll, toggle }: ListSelection): VirtualColumn<JobSummary> {
  return {
    key: 'choice',
    title: <span className="visually-hidden">Chosen</span>,
    width: '24px',
    render: ({ jobId, agent }) => (
      <input
        type="checkbox"
        aria-label={`Choose ${agent} ${jobId.slice(0, 8)}`}
        checked={isAll || jobIds.has(jobId)}
        disabled={isAll}
        onChange={({ nativeEvent }) => toggle(jobId, (nativeEvent as MouseEvent).shiftKey)}
      />
    ),
  };
}
