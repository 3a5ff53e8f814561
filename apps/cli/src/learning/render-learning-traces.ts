import type { LearningTraceRecord } from '@phaseline/client';
import { toPrintable } from '../output/printable.js';
import { renderTable, type Column } from '../output/table.js';

/** Renders one line per learning trace. */
export function renderLearningTraces(
  traces: readonly LearningTraceRecord[],
  title: (text: string) => string,
  width: number | undefined,
): string[] {
  return renderTable<LearningTraceRecord>(columns, traces, { width, title });
}

const columns: readonly Column<LearningTraceRecord>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'time', cell: ({ timestamp }) => timestamp.slice(0, 19) },
  { title: 'type', cell: ({ type }) => type },
  { title: 'agent', cell: ({ context }) => toPrintable(context.agent) },
  { title: 'action', cell: ({ action }) => toPrintable(action) },
  { title: 'reason', cell: ({ reason }) => toPrintable(reason) },
  { title: 'happened', cell: ({ event }) => toPrintable(event.happened) },
];

/** Renders all that is known of a learning trace, one member per line. */
export function renderLearningTrace(trace: LearningTraceRecord): string[] {
  const { context, event } = trace;
  const members = [
    ['id', trace.id],
    ['time', trace.timestamp],
    ['job', `${trace.jobId}${trace.phase === undefined ? '' : `, phase ${trace.phase}`}, position ${trace.position}`],
    ['project', `${trace.project} (scope: ${trace.scope})`],
    ['type', `${trace.type} (${trace.action}, ${trace.reason}; ${trace.source})`],
    ['agent', context.agent],
    ['feature', context.feature],
    ['todo', context.todo === undefined ? undefined : String(context.todo)],
    ['task', context.task],
    ['happened', event.happened],
    ['correct', event.correct],
    ['why', event.why],
  ] as const;
  return members.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(9)} ${toPrintable(value)}`]));
}
