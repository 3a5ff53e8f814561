import { readCount, readList, readString, routes, type Plan, type UntypedData } from '@phaseline/client';
import { useMemo } from 'react';
import { Badge } from '../ui/badge.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { Empty } from '../ui/notice.js';
import { describeRecurrence, formatPeriod, formatWork } from './format-plan.js';
import { readOutline } from './read-outline.js';
import { SchedulePicture } from './schedule-picture.js';

const downloads = [
  ['ics', 'Calendar file'],
  ['csv', 'Table (CSV)'],
  ['svg', 'Picture (SVG)'],
] as const;

interface Entry {
  readonly task: string;
  readonly title: string;
  readonly when: string;
  readonly zone: string;
  readonly recurrence: string;
  readonly floatMinutes: number;
  readonly isCritical: boolean;
}

/** When each task is done: a picture, a table, and files. */
export function SchedulePanel({ plan }: { readonly plan: Plan }) {
  const { planId, schedule, outline, hashes } = plan;
  const entries = useMemo(() => listEntries(schedule ?? {}, outline ?? {}), [schedule, outline]);
  if (!schedule) return <Empty>The plan has no schedule yet.</Empty>;
  return (
    <div className="stack">
      <div className="row">
        {downloads.map(([format, title]) => (
          <a key={format} className="button button-plain" href={routes.planSchedule(planId, format)} download>
            {title}
          </a>
        ))}
      </div>
      <SchedulePicture planId={planId} hash={hashes['schedule'] ?? ''} />
      <DataTable
        label="Schedule"
        columns={columns}
        rows={entries}
        rowKey={({ task, when, recurrence }) => `${task} ${when} ${recurrence}`}
      />
    </div>
  );
}

function listEntries(schedule: UntypedData, outline: UntypedData): readonly Entry[] {
  const titles = new Map(readOutline(outline).map(({ id, title }) => [id, title]));
  return readList(schedule, 'tasks').map((entry) => {
    const task = readString(entry, 'task') ?? '';
    const zone = readString(entry, 'zone') ?? 'UTC';
    const recurrence = readString(entry, 'recurrence');
    return {
      ...{ task, title: titles.get(task) ?? task, zone },
      when: formatPeriod(readString(entry, 'start') ?? '', readString(entry, 'end') ?? '', zone),
      recurrence: recurrence === undefined ? '' : describeRecurrence(recurrence),
      floatMinutes: readCount(entry, 'floatMinutes') ?? 0,
      isCritical: entry['critical'] === true,
    };
  });
}

const columns: readonly Column<Entry>[] = [
  {
    key: 'task',
    title: 'Task',
    render: ({ title, task, isCritical }) => (
      <span className="row" title={task}>
        <span className="wrap-anywhere">{title}</span>
        {isCritical ? (
          <Badge tone="bad" glyph="!">
            critical
          </Badge>
        ) : null}
      </span>
    ),
  },
  {
    key: 'when',
    title: 'When',
    render: ({ when, zone, recurrence }) => (
      <>
        <span title={`Time in ${zone}`}>{when}</span>
        {recurrence === '' ? null : <div className="muted">{recurrence}</div>}
      </>
    ),
  },
  {
    key: 'float',
    title: 'Float',
    isNumber: true,
    isSecondary: true,
    render: ({ floatMinutes }) =>
      floatMinutes === 0 ? '' : <span className="nowrap">{formatWork(floatMinutes)}</span>,
  },
];
