import { formatWallTime } from '../calendar/wall-clock.js';
import { parseInstant } from '../calendar/instant.js';
import { type ExportedPlan, listPlannedTasks, type PlannedTask } from './list-planned-tasks.js';

const columns = [
  ...(['task', 'title', 'phase', 'start', 'end', 'zone', 'recurrence', 'occurrences'] as const),
  ...(['float_minutes', 'critical'] as const),
];

/**
 * Writes a schedule as a table by RFC 4180, one row per task in the order of the schedule. Start and end are dates and times on the wall of the zone.
 * A text that a spreadsheet would read as a formula begins with an apostrophe.
 */
export function renderScheduleTable(plan: ExportedPlan): string {
  const rows = listPlannedTasks(plan).map(buildRow);
  return [columns, ...rows].map((row) => `${row.map(writeField).join(',')}\r\n`).join('');
}

function buildRow({ entry, node, phase, occurrences }: PlannedTask): readonly string[] {
  const { task, start, end, zone, recurrence, floatMinutes, critical } = entry;
  const [from, to] = [start, end].map((text) => formatWallTime(zone, parseInstant(text)).replace('T', ' '));
  return [
    ...[task, node.title, phase?.title ?? '', from!, to!, zone, recurrence ?? ''],
    ...[String(occurrences.length), String(floatMinutes), critical ? 'yes' : 'no'],
  ];
}

/** Quotes a field where RFC 4180 asks for it. The signs of formulas are those of OWASP, and their full-width forms. */
function writeField(text: string): string {
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
