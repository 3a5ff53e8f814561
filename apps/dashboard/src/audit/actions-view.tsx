import type { ActionRecord } from '@phaseline/client';
import { useDeferredValue, useState } from 'react';
import { Link } from 'wouter';
import { SelectField, TextField } from '../ui/field.js';
import { Empty, ErrorNotice } from '../ui/notice.js';
import { DateTime } from '../ui/time.js';
import { VirtualTable, type VirtualColumn } from '../ui/virtual-table.js';
import { describeAction } from './advice.js';
import { useActions } from './use-actions.js';

/** Types of events that persons and keys record, as a choice. The list itself also contains others. */
const types = [
  ...['JobSubmitted', 'JobForked', 'JobPaused', 'JobResumed', 'JobSteered', 'JobRetried', 'JobCancelRequested'],
  ...['JobErased', 'JobDefinitionChanged', 'ApprovalGranted', 'ApprovalRefused', 'ToolCallAmended', 'QuestionAnswered'],
  ...['FileWritten', 'FileDeleted', 'JobGuardOverridden', 'JobGuardOverrideRevoked', 'GuardVersionAdded'],
  ...['GuardStageChanged', 'HoldPlaced', 'HoldReleased', 'RetentionSet', 'SecretStored', 'SecretRemoved'],
  ...['PrincipalCreated', 'PrincipalDisabled', 'PrincipalEnabled', 'RoleGranted', 'RoleRevoked'],
  ...['KeyCreated', 'KeyRevoked', 'SessionStarted', 'SessionEnded', 'DeadLetterRetried', 'DeadLetterDiscarded'],
];

/** What persons and keys did, latest first: of the whole log, or of one job. */
export function ActionsView({ jobId }: { readonly jobId?: string }) {
  const [actor, setActor] = useState('');
  const [action, setAction] = useState('');
  const filter = { actor: useDeferredValue(actor.trim()), action, jobId };
  const { query, rows } = useActions(filter);
  const isReading = query.isFetching;
  return (
    <section className="audit-actions" aria-label="Who did what">
      <div className="form-row">
        <TextField label="Person or key" value={actor} onChange={({ target }) => setActor(target.value)} />
        <SelectField label="Action" value={action} onChange={({ target }) => setAction(target.value)}>
          <option value="">all actions</option>
          {types.map((type) => (
            <option key={type} value={type}>
              {describeAction(type)}
            </option>
          ))}
        </SelectField>
      </div>
      {query.error ? <ErrorNotice error={query.error} onRetry={() => void query.refetch()} /> : null}
      {rows.length === 0 && !isReading && !query.error ? (
        <Empty>Nobody did that, or you may not see the job. Remove a filter to see more.</Empty>
      ) : null}
      {rows.length === 0 ? null : (
        <VirtualTable
          label="Actions"
          columns={jobId === undefined ? columns : columns.filter(({ key }) => key !== 'job')}
          rows={rows}
          rowKey={({ streamId, version }) => `${streamId} ${version}`}
          onEnd={() => query.hasNextPage && !query.isFetching && void query.fetchNextPage()}
        />
      )}
      <p className="muted" aria-live="polite">
        {isReading ? 'Reading the log…' : ' '}
      </p>
    </section>
  );
}

const columns: readonly VirtualColumn<ActionRecord>[] = [
  { key: 'actor', title: 'Who', width: 'minmax(90px, 1fr)', render: ({ actor }) => <Actor actor={actor} /> },
  {
    key: 'action',
    title: 'Did',
    width: 'minmax(120px, 1.4fr)',
    render: ({ action }) => <span title={action}>{describeAction(action)}</span>,
  },
  {
    key: 'job',
    title: 'Concerning',
    width: 'minmax(100px, 2fr)',
    isSecondary: true,
    render: ({ jobId, streamId }) =>
      jobId === undefined ? (
        <span className="mono" title={streamId}>
          {streamId}
        </span>
      ) : (
        <Link href={`/audit/${jobId}`} className="mono" title={jobId}>
          {jobId}
        </Link>
      ),
  },
  { key: 'tenant', title: 'Tenant', width: '120px', isSecondary: true, render: ({ tenant }) => tenant ?? '–' },
  { key: 'at', title: 'When', width: '170px', isNumber: true, render: ({ at }) => <DateTime at={at} /> },
];

function Actor({ actor: { id, kind, onBehalfOf } }: Pick<ActionRecord, 'actor'>) {
  const name = onBehalfOf === undefined ? id : `${onBehalfOf.id} (with ${id})`;
  return <span title={`${name}, ${kind}`}>{name}</span>;
}
