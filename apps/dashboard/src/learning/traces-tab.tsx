import type { LearningTraceRecord } from '@phaseline/client';
import { learningActions, learningTraceScopes, learningTraceTypes } from '@phaseline/contracts';
import { Link, useLocation, useParams, useSearch } from 'wouter';
import { Button } from '../ui/button.js';
import { SelectField } from '../ui/field.js';
import { toWords } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { Empty, ErrorNotice } from '../ui/notice.js';
import { DateTime } from '../ui/time.js';
import { TypedField } from '../ui/typed-field.js';
import { VirtualTable, type VirtualColumn } from '../ui/virtual-table.js';
import { AgentField } from './agent-and-age.js';
import { readers, ScopeBadge, TypeBadge } from './trace-badges.js';
import { TraceDetail } from './trace-detail.js';
import { TRACES_PATH } from './traces-path.js';
import { useFilters, type ChangeFilters } from './use-filters.js';
import { traceFilters, useTraces, type TraceFilters } from './use-traces.js';

/** What guards, checks and people refused or decided, and which agents may read it. */
export function TracesTab() {
  const { id } = useParams<{ id?: string }>();
  const [filters, change] = useFilters(traceFilters);
  const search = useSearch();
  const [, navigate] = useLocation();
  const query = useTraces(filters);
  const rows = query.data?.pages.flat() ?? [];
  return (
    <>
      <Filters filters={filters} onChange={change} />
      {query.error ? <ErrorNotice error={query.error} onRetry={() => void query.refetch()} /> : null}
      <div className={id === undefined ? 'traces' : 'traces traces-open'}>
        <div className="traces-list">
          {query.isPending ? <Loading /> : null}
          {query.isSuccess && rows.length === 0 ? <NoTraces filters={filters} /> : null}
          {rows.length === 0 ? null : (
            <VirtualTable
              label="Learning traces"
              columns={listColumns(search, id !== undefined)}
              rows={rows}
              rowKey={(trace) => trace.id}
              onEnd={() => query.hasNextPage && !query.isFetchingNextPage && void query.fetchNextPage()}
              isRowSelected={(trace) => trace.id === id}
            />
          )}
        </div>
        {id === undefined ? null : (
          <TraceDetail key={id} id={id} onClose={() => navigate(buildAddress(TRACES_PATH, search))} />
        )}
      </div>
    </>
  );
}

/** The filters stay when a learning trace is opened or closed. */
function buildAddress(path: string, search: string): string {
  return search === '' ? path : `${path}?${search}`;
}

function Filters({
  filters,
  onChange,
}: {
  readonly filters: TraceFilters;
  readonly onChange: ChangeFilters<keyof TraceFilters>;
}) {
  const { text, type, action, agent, scope } = filters;
  return (
    <form
      className="form-row trace-filters"
      role="search"
      aria-label="Filter learning traces"
      onSubmit={(event) => event.preventDefault()}
    >
      <TypedField label="Search" value={text} onChange={(value) => onChange({ text: value })} />
      <Codes
        label="Type"
        all="every type"
        codes={learningTraceTypes}
        value={type}
        onChange={(one) => onChange({ type: one })}
      />
      <Codes
        label="Action"
        all="every action"
        codes={learningActions}
        value={action}
        onChange={(one) => onChange({ action: one })}
      />
      <AgentField value={agent} onChange={(value) => onChange({ agent: value })} />
      <SelectField label="Read by" value={scope} onChange={({ target }) => onChange({ scope: target.value })}>
        <option value="">anyone</option>
        {learningTraceScopes.map((one) => (
          <option key={one} value={one}>
            {readers[one]}
          </option>
        ))}
      </SelectField>
      {Object.values(filters).some((value) => value !== '') ? (
        <Button onClick={() => onChange({ text: '', type: '', action: '', agent: '', scope: '' })}>Clear</Button>
      ) : null}
    </form>
  );
}

function Codes({
  label,
  all,
  codes,
  value,
  onChange,
}: {
  readonly label: string;
  readonly all: string;
  readonly codes: readonly string[];
  readonly value: string;
  readonly onChange: (code: string) => void;
}) {
  return (
    <SelectField label={label} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{all}</option>
      {codes.map((code) => (
        <option key={code} value={code}>
          {toWords(code)}
        </option>
      ))}
    </SelectField>
  );
}

function NoTraces({ filters }: { readonly filters: TraceFilters }) {
  return (
    <Empty>
      {Object.values(filters).every((value) => value === '')
        ? 'No learning trace yet. Each call that a guard denies, each approval that a person refuses, and each claim that fails becomes one. Encrypted jobs have none.'
        : 'No learning trace matches. Remove a filter, or search for other words.'}
    </Empty>
  );
}

/** Columns of the list. Those that the open learning trace shows too are left out beside it. */
function listColumns(search: string, isOpen: boolean): readonly VirtualColumn<LearningTraceRecord>[] {
  const columns: readonly (VirtualColumn<LearningTraceRecord> | false)[] = [
    {
      key: 'happened',
      title: 'What happened',
      width: 'minmax(150px, 3fr)',
      render: ({ id, event }) => (
        <Link href={buildAddress(`${TRACES_PATH}/${id}`, search)} className="trace-link" title={event.happened}>
          {event.happened}
        </Link>
      ),
    },
    { key: 'type', title: 'Type', width: '110px', isSecondary: true, render: ({ type }) => <TypeBadge type={type} /> },
    !isOpen && {
      key: 'action',
      title: 'Action',
      width: 'minmax(90px, 1fr)',
      isSecondary: true,
      render: ({ action }) => toWords(action),
    },
    !isOpen && {
      key: 'reason',
      title: 'Reason',
      width: 'minmax(110px, 1fr)',
      isSecondary: true,
      render: ({ reason }) => toWords(reason),
    },
    { key: 'agent', title: 'Agent', width: 'minmax(80px, 1fr)', render: ({ context }) => context.agent },
    !isOpen && {
      key: 'scope',
      title: 'Read by',
      width: '150px',
      isSecondary: true,
      render: ({ scope }) => <ScopeBadge scope={scope} />,
    },
    !isOpen && {
      key: 'at',
      title: 'When',
      width: '170px',
      isNumber: true,
      isSecondary: true,
      render: ({ timestamp }) => <DateTime at={timestamp} />,
    },
  ];
  return columns.filter((column) => column !== false);
}
