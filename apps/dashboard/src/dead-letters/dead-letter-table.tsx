import type { DeadLetterRecord } from '@phaseline/client';
import { Link } from 'wouter';
import { formatCount } from '../ui/format.js';
import { Ago } from '../ui/time.js';
import { VirtualTable, type VirtualColumn } from '../ui/virtual-table.js';
import { findJobId } from './dead-letter-fields.js';

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly onChange: (ids: ReadonlySet<string>) => void;
}

const columns: readonly VirtualColumn<DeadLetterRecord>[] = [
  { key: 'queue', title: 'Queue', width: '96px', isSecondary: true, render: ({ queue }) => queue },
  {
    key: 'reason',
    title: 'Reason',
    width: 'minmax(100px, 2fr)',
    render: ({ reason }) => <span title={reason}>{reason}</span>,
  },
  { key: 'job', title: 'Job', width: '92px', isSecondary: true, render: (row) => <JobLink jobId={findJobId(row)} /> },
  {
    key: 'attempts',
    title: 'Attempts',
    width: '64px',
    isNumber: true,
    isSecondary: true,
    render: ({ attempts }) => formatCount(attempts),
  },
  {
    key: 'age',
    title: 'Failed',
    width: '92px',
    isNumber: true,
    render: ({ failedAt }) => <Ago at={failedAt} suffix="" />,
  },
];

/** The job of a message, by the end of its id, which is the part that differs. */
function JobLink({ jobId }: { readonly jobId: string | undefined }) {
  if (jobId === undefined) return <span className="muted">none</span>;
  return (
    <Link href={`/jobs/${jobId}`} className="mono" title={jobId}>
      <span className="visually-hidden">Job </span>…{jobId.slice(-8)}
    </Link>
  );
}

/** The open dead letters, with boxes to select several if the caller may close them. */
export function DeadLetterTable({
  rows,
  openId,
  queue,
  selection,
  onEnd,
}: {
  readonly rows: readonly DeadLetterRecord[];
  readonly openId: string | undefined;
  /** The queue that the list shows, which stays the filter when a message is opened; empty for all. */
  readonly queue: string;
  readonly selection: Selection | undefined;
  readonly onEnd: () => void;
}) {
  return (
    <VirtualTable
      label="Dead letters"
      columns={[...(selection ? [selectColumn(selection, rows)] : []), messageColumn(queue), ...columns]}
      rows={rows}
      rowKey={({ id }) => id}
      onEnd={onEnd}
      isRowSelected={({ id }) => id === openId}
    />
  );
}

function messageColumn(queue: string): VirtualColumn<DeadLetterRecord> {
  const search = queue === '' ? '' : `?queue=${encodeURIComponent(queue)}`;
  return {
    key: 'message',
    title: 'Message',
    width: 'minmax(110px, 1fr)',
    render: ({ id, messageId }) => (
      <Link href={`/dead-letters/${id}${search}`} className="mono" title={messageId}>
        {messageId}
      </Link>
    ),
  };
}

function selectColumn(
  { ids, onChange }: Selection,
  rows: readonly DeadLetterRecord[],
): VirtualColumn<DeadLetterRecord> {
  const areAllSelected = rows.every(({ id }) => ids.has(id));
  const toggle = (id: string): void => {
    const next = new Set(ids);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return {
    key: 'select',
    title: (
      <input
        type="checkbox"
        className="letters-box"
        aria-label="Select all loaded messages"
        checked={areAllSelected}
        onChange={() => onChange(areAllSelected ? new Set() : new Set(rows.map(({ id }) => id)))}
      />
    ),
    width: '24px',
    render: ({ id, messageId }) => (
      <input
        type="checkbox"
        className="letters-box"
        aria-label={`Select ${messageId}`}
        checked={ids.has(id)}
        onChange={() => toggle(id)}
      />
    ),
  };
}
