import { clip, toSingleLine } from '@phaseline/basics';
import ical, { ICalEventTransparency } from 'ical-generator';
import { Temporal } from 'temporal-polyfill';
import type { Instant, Interval } from '../calendar/instant.js';
import { formatWallTime } from '../calendar/wall-clock.js';
import { describeMinutes } from '../stage/describe-task.js';
import { normalizeRule } from '../stage/series-days.js';
import { buildTimeZone } from './build-time-zone.js';
import { type ExportedPlan, listPlannedTasks, type PlannedTask } from './list-planned-tasks.js';

/** Characters of the goal that are the name of the calendar: programs show it in a narrow list. */
const MAX_NAME_CHARACTERS = 80;
const MS_PER_MINUTE = 60_000;

/** A plan as a calendar file. */
export interface CalendarFilePlan extends ExportedPlan {
  /** Part of the UIDs, so that a later file of the same plan replaces its events. Letters, digits and hyphens. */
  readonly planId: string;
  /** When the file was made. */
  readonly stamp: Date;
}

/**
 * Writes a schedule as a calendar file by RFC 5545 with one event per task. Times have a zone, so that a task that recurs keeps its time on the wall over
 * changes of the clock. A task that is longer than its work is done in sessions; it does not make its whole time busy. Throws a RangeError for a
 * plan id with other characters, and what listPlannedTasks throws.
 */
export function renderCalendarFile(plan: CalendarFilePlan): string {
  if (!/^[A-Za-z0-9-]+$/.test(plan.planId)) throw new RangeError(`"${plan.planId}" is no id of a plan.`);
  const tasks = listPlannedTasks(plan);
  const span = measureSpan(tasks);
  const file = ical({
    name: escapeText(clip(toSingleLine(plan.context.goal), MAX_NAME_CHARACTERS)),
    prodId: { company: 'Phaseline', product: 'plan' },
    // The calendar has no zone of its own: the library would write the stamp in it, and RFC 5545 wants UTC.
    timezone: { name: null, generator: (zone) => buildTimeZone(zone, span) },
  });
  for (const task of tasks) file.createEvent(buildEvent(plan, task));
  // The library leaves out the last line end.
  return `${file.toString()}\r\n`;
}

function buildEvent({ planId, stamp }: CalendarFilePlan, task: PlannedTask) {
  const { entry, node, phase, occurrences } = task;
  const [first] = occurrences;
  const minutes = first ? first.end - first.start : 0;
  const isDivided = minutes > Math.ceil((node.estimateMinutes ?? minutes) / 15) * 15;
  const lines = [
    ...(isDivided ? [`${describeMinutes(node.estimateMinutes!)} of work within this time.`] : []),
    ...(node.endCriterion === undefined ? [] : [`Done when: ${node.endCriterion}`]),
  ];
  return {
    id: `${planId}/${entry.task}@phaseline`,
    stamp,
    start: toZoned(entry.start, entry.zone),
    end: toZoned(entry.end, entry.zone),
    timezone: entry.zone,
    summary: toSingleLine(node.title),
    ...(lines.length > 0 && { description: lines.join('\n') }),
    ...(phase && { categories: [{ name: toSingleLine(phase.title) }] }),
    ...(isDivided && { transparency: ICalEventTransparency.TRANSPARENT }),
    ...(entry.recurrence !== undefined && { repeating: buildRepetition(task, entry.recurrence) }),
  };
}

/** The rule and the dates that are left out of it. The library writes them as they are; the rule has been parsed. */
function buildRepetition({ entry, excluded }: PlannedTask, rule: string): string {
  const rest = excluded.map((start) => formatWallTime(entry.zone, start).replaceAll(/[-:]/g, ''));
  const exceptions =
    rest.length === 0 ? [] : [`EXDATE;TZID=${entry.zone}:${rest.map((time) => `${time}00`).join(',')}`];
  return [`RRULE:${normalizeRule(rule, entry.zone)}`, ...exceptions].join('\r\n');
}

function measureSpan(tasks: readonly PlannedTask[]): Interval {
  const times: readonly Instant[] = tasks.flatMap(({ occurrences }) =>
    occurrences.flatMap(({ start, end }) => [start, end]),
  );
  return times.length === 0
    ? { start: 0, end: 0 }
    : { start: findLeast(times), end: -findLeast(times.map((time) => -time)) };
}

function findLeast(numbers: readonly number[]): number {
  return numbers.reduce((least, number) => Math.min(least, number), Infinity);
}

function toZoned(instant: string, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(
    Math.floor(Date.parse(instant) / MS_PER_MINUTE) * MS_PER_MINUTE,
  ).toZonedDateTimeISO(zone);
}

/** The library escapes the texts of events, but not the name of the calendar. */
function escapeText(text: string): string {
  return text.replaceAll(/[\\;,]/g, String.raw`\$&`);
}
