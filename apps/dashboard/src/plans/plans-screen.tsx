import { planningStatuses, type PlanItem } from '@phaseline/client';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useRights } from '../api/use-rights.js';
import { LinkButton } from '../ui/button.js';
import { SelectField } from '../ui/field.js';
import { toWords } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { Empty, ErrorNotice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { Ago } from '../ui/time.js';
import { useIsNarrow } from '../ui/use-is-narrow.js';
import { VirtualTable, type VirtualColumn } from '../ui/virtual-table.js';
import { titleOfStage } from './list-stages.js';
import { readPlanFilters, shippedPatterns, type PlanFilters } from './plan-filters.js';
import { PlanningStatusBadge } from './planning-status.js';
import { usePlans } from './use-plans.js';
import { PREFERENCES_RIGHT } from './use-preferences.js';
import './plans.css';

/** All plans that the caller may see, newest first. */
export default function PlansScreen() {
  const [params, setParams] = useSearchParams();
  const filters = useMemo(() => readPlanFilters(params), [params]);
  const list = usePlans(filters);
  const isFiltered = filters.status !== '' || filters.pattern !== '';
  const change = (name: keyof PlanFilters, value: string): void =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === '') after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  return (
    <Page title="Plans" fill actions={<Actions />}>
      <Filters filters={filters} plans={list.plans} onChange={change} />
      {list.error ? <ErrorNotice error={list.error} onRetry={() => void list.refetch()} /> : null}
      <PlanList
        plans={list.plans}
        isLoading={list.isPending}
        isFiltered={isFiltered}
        onEnd={() => {
          if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
        }}
      />
    </Page>
  );
}

function Actions() {
  const can = useRights();
  return (
    <>
      <LinkButton to="/plans/calibration">How sure, and how right</LinkButton>
      {can(PREFERENCES_RIGHT) ? <LinkButton to="/plans/preferences">Preferences</LinkButton> : null}
      {can('jobs:submit') ? (
        <LinkButton to="/plans/new" variant="primary">
          New plan
        </LinkButton>
      ) : null}
    </>
  );
}

function Filters({
  filters,
  plans,
  onChange,
}: {
  readonly filters: PlanFilters;
  readonly plans: readonly PlanItem[];
  readonly onChange: (name: keyof PlanFilters, value: string) => void;
}) {
  const listed = plans.flatMap(({ patternType }) => patternType ?? []);
  const patterns = [...new Set([...shippedPatterns, ...listed, filters.pattern])].filter((name) => name !== '');
  return (
    <form
      className="form-row plan-filters"
      role="search"
      aria-label="Filter plans"
      onSubmit={(event) => event.preventDefault()}
    >
      <SelectField label="Status" value={filters.status} onChange={({ target }) => onChange('status', target.value)}>
        <option value="">every status</option>
        {planningStatuses.map((status) => (
          <option key={status} value={status}>
            {toWords(status)}
          </option>
        ))}
      </SelectField>
      <SelectField label="Pattern" value={filters.pattern} onChange={({ target }) => onChange('pattern', target.value)}>
        <option value="">every pattern</option>
        {patterns.map((pattern) => (
          <option key={pattern} value={pattern}>
            {toWords(pattern)}
          </option>
        ))}
      </SelectField>
    </form>
  );
}

function PlanList({
  plans,
  isLoading,
  isFiltered,
  onEnd,
}: {
  readonly plans: readonly PlanItem[];
  readonly isLoading: boolean;
  readonly isFiltered: boolean;
  readonly onEnd: () => void;
}) {
  const can = useRights();
  const isNarrow = useIsNarrow();
  const hasTenants = new Set(plans.map(({ tenant }) => tenant)).size > 1;
  const columns = useMemo(() => listColumns(isNarrow, hasTenants), [isNarrow, hasTenants]);
  if (isLoading) return <Loading />;
  if (plans.length === 0)
    return (
      <Empty>
        {isFiltered ? (
          'No plan matches these filters.'
        ) : can('jobs:submit') ? (
          <>
            There is no plan yet. <Link href="/plans/new">Start one</Link>, or run: phaseline plan "GOAL"
          </>
        ) : (
          <>
            There is no plan yet. To start one, you need the right <code>jobs:submit</code>.
          </>
        )}
      </Empty>
    );
  return <VirtualTable label="Plans" columns={columns} rows={plans} rowKey={({ planId }) => planId} onEnd={onEnd} />;
}

function listColumns(isNarrow: boolean, hasTenants: boolean): readonly VirtualColumn<PlanItem>[] {
  const columns: readonly (VirtualColumn<PlanItem> | false)[] = [
    {
      key: 'goal',
      title: 'Goal',
      width: 'minmax(110px, 2fr)',
      render: ({ planId, goal }) => (
        <Link href={`/plans/${planId}`} title={goal ?? planId}>
          {goal ?? `Plan ${planId.slice(0, 8)}`}
        </Link>
      ),
    },
    {
      key: 'status',
      title: 'Status',
      width: isNarrow ? '190px' : '220px',
      render: ({ planningStatus }) => <PlanningStatusBadge status={planningStatus} />,
    },
    !isNarrow && { key: 'stage', title: 'Stage', width: '90px', render: ({ stage }) => titleOfStage(stage) },
    !isNarrow && { key: 'pattern', title: 'Pattern', width: 'minmax(0, 1fr)', render: describePattern },
    !isNarrow && {
      key: 'user',
      title: 'For',
      width: '120px',
      render: ({ user }) => <span title={user ?? ''}>{user}</span>,
    },
    !isNarrow && hasTenants && { key: 'tenant', title: 'Tenant', width: '110px', render: ({ tenant }) => tenant },
    !isNarrow && {
      key: 'changed',
      title: 'Updated',
      width: '130px',
      isNumber: true,
      render: ({ changedAt }) => <Ago at={changedAt} />,
    },
  ];
  return columns.filter((column) => column !== false);
}

function describePattern({ patternType, patternSubtype, patternVariant }: PlanItem) {
  if (patternType === null) return <span className="muted">none yet</span>;
  const text = [patternType, patternSubtype, patternVariant]
    .flatMap((name) => name ?? [])
    .map(toWords)
    .join(' / ');
  return <span title={text}>{text}</span>;
}
