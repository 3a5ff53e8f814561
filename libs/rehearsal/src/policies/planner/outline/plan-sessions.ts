import { addDays, getWeekday, months, weekdays, type Weekday } from '../reading/days.js';
import type { Rhythm } from '../reading/read-rhythm.js';
import { countPlanDays, roundDown, type PlanFrame } from './plan-frame.js';

/** When a session is repeated, and how long it takes. */
export interface PlanSessions {
  /** Rule of RFC 5545 with an end. */
  readonly rule: string;
  readonly minutes: number;
  /** Days on which there is a session. */
  readonly days: readonly string[];
}

/** Weekdays that are used for a number of days per week: spread, so that there is rest in between. */
const spread: readonly (readonly number[])[] = [
  [2],
  [1, 3],
  [0, 2, 4],
  [0, 1, 3, 4],
  [0, 1, 2, 3, 4],
  [0, 1, 2, 3, 4, 5],
];
const DEFAULT_SESSION_MINUTES = 60;
const DEFAULT_DAILY_MINUTES = 30;
/** Occurrences that a rule has at most: the limit of schedules is 1000. */
const MAX_OCCURRENCES = 900;
/** Weeks per month in which there are sessions if the person wants rest weeks. */
const ACTIVE_WEEKS = [1, 2, 3];

/** Chooses weekdays for a number of days per week, among those that are open, as evenly as possible. */
export function chooseWeekdays(count: number, open: readonly Weekday[]): readonly Weekday[] {
  if (open.length === 0 || count >= open.length) return open.length === 0 ? weekdays.slice(0, count) : open;
  const wanted = (spread[count - 1] ?? []).map((index) => weekdays[index]!);
  if (wanted.every((day) => open.includes(day))) return wanted;
  return Array.from({ length: count }, (_, index) => open[Math.floor(((index + 0.5) * open.length) / count)]!);
}

/** Weekdays of a rhythm, of those that are open. */
function listSessionWeekdays(
  { unit, weekdays: stated, times = 1 }: Rhythm,
  open: readonly Weekday[],
): readonly Weekday[] {
  const possible = stated?.filter((day) => open.includes(day)) ?? [];
  if (possible.length > 0) return possible;
  if (unit === 'day') return open.length === 0 ? weekdays : open;
  return chooseWeekdays(unit === 'month' ? 1 : Math.max(1, times), open);
}

/**
 * Plans the sessions of a rhythm. `roomPerDay` is kept free for other work on each day of a session, if the day is long enough. `factor` changes the
 * length of the sessions.
 */
export function planSessions(
  frame: PlanFrame,
  rhythm: Rhythm,
  options: {
    readonly factor: number;
    readonly hasRestWeeks: boolean;
    readonly roomPerDay: number;
    readonly minutes?: number;
  },
): PlanSessions {
  const open = [...frame.openMinutes.keys()];
  const wanted = listSessionWeekdays(rhythm, open);
  const { perSession, perDay = 0 } = frame.effort;
  const stated = (perSession ?? perDay) * options.factor;
  const chosen = leaveRoom(frame, wanted, { roomPerDay: options.roomPerDay, stated });
  const pattern = buildPattern(rhythm, chosen, options.hasRestWeeks && countPlanDays(frame) >= 42);
  const found = listDays(frame, pattern);
  // A plan of a few days may have none of the weekdays: the session is then held once, on the first open day.
  const day = found[0] ?? findOpenDay(frame);
  const days = found.length > 0 ? found : [day];
  const minutes = chooseMinutes(frame, rhythm, chosen, options);
  const rule = found.length > 0 ? writeRule(frame, pattern, found) : 'FREQ=DAILY;COUNT=1';
  return { rule, minutes, days };
}

/**
 * Leaves out the last weekday if the sessions would fill every open day or the week, and other work needs room: sessions of a stated length are not made shorter for
 * it.
 */
function leaveRoom(
  { openMinutes, minutesPerWeek }: PlanFrame,
  chosen: readonly Weekday[],
  { roomPerDay, stated }: { readonly roomPerDay: number; readonly stated: number },
): readonly Weekday[] {
  const needed = Math.max(2 * roomPerDay, stated + roomPerDay);
  const isFull =
    (chosen.length >= openMinutes.size && [...openMinutes.values()].every((open) => open < needed)) ||
    stated * chosen.length + roomPerDay > minutesPerWeek;
  return roomPerDay > 0 && isFull && chosen.length > 1 ? chosen.slice(0, -1) : chosen;
}

function findOpenDay(frame: PlanFrame): string {
  const days = Array.from({ length: Math.min(7, countPlanDays(frame)) }, (_, index) => addDays(frame.start, index));
  return days.find((day) => frame.openMinutes.has(getWeekday(day))) ?? frame.start;
}

/** A rule as its parts: the rule itself is its text, the days are counted from it. */
interface SessionPattern {
  readonly frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY';
  readonly interval: number;
  readonly weekdays: readonly Weekday[];
  /** Which such weekdays of the month; empty for each. */
  readonly positions: readonly number[];
}

function buildPattern(rhythm: Rhythm, chosen: readonly Weekday[], hasRestWeeks: boolean): SessionPattern {
  const { unit, interval, times = 1, position } = rhythm;
  if (unit === 'month') {
    const positions =
      position !== undefined ? [position] : [[1], [1, 3], [1, 2, 3], [1, 2, 3, 4]][Math.min(times, 4) - 1]!;
    return { frequency: 'MONTHLY', interval, weekdays: chosen, positions };
  }
  if (hasRestWeeks && interval === 1)
    return { frequency: 'MONTHLY', interval: 1, weekdays: chosen, positions: ACTIVE_WEEKS };
  if (unit === 'day' && (interval > 1 || chosen.length === weekdays.length))
    return { frequency: 'DAILY', interval, weekdays: [], positions: [] };
  return { frequency: 'WEEKLY', interval, weekdays: chosen, positions: [] };
}

function listDays(frame: PlanFrame, pattern: SessionPattern): readonly string[] {
  const count = Math.min(countPlanDays(frame), MAX_OCCURRENCES * 31);
  const days = Array.from({ length: count }, (_, index) => ({ day: addDays(frame.start, index), index }));
  const isDay = (day: string): boolean =>
    pattern.weekdays.includes(getWeekday(day)) &&
    (pattern.frequency !== 'MONTHLY' || isAtPosition(day, pattern.positions));
  const first = days.find(({ day }) => isDay(day));
  if (pattern.frequency === 'DAILY')
    return days
      .filter(({ index }) => index % pattern.interval === 0)
      .map(({ day }) => day)
      .slice(0, MAX_OCCURRENCES);
  if (first === undefined) return [];
  // Weeks and months are counted from the first session, where the rule starts.
  const offset = weekdays.indexOf(getWeekday(first.day)) - first.index;
  const matches = days.filter(({ day, index }) => {
    if (!isDay(day)) return false;
    const periods = pattern.frequency === 'WEEKLY' ? Math.floor((index + offset) / 7) : countMonths(first.day, day);
    return periods % pattern.interval === 0;
  });
  return matches.map(({ day }) => day).slice(0, MAX_OCCURRENCES);
}

function isAtPosition(day: string, positions: readonly number[]): boolean {
  const ofMonth = Math.ceil(Number(day.slice(8)) / 7);
  const isLast = addDays(day, 7).slice(0, 7) !== day.slice(0, 7);
  return positions.includes(ofMonth) || (isLast && positions.includes(-1));
}

function countMonths(from: string, to: string): number {
  const [first, last] = [from, to].map((day) => months.length * Number(day.slice(0, 4)) + Number(day.slice(5, 7))) as [
    number,
    number,
  ];
  return last - first;
}

function writeRule(
  frame: PlanFrame,
  { frequency, interval, weekdays: days, positions }: SessionPattern,
  found: readonly string[],
): string {
  const codes = days.map((day) => day.slice(0, 2).toUpperCase());
  const byDay =
    positions.length === 0 ? codes : positions.flatMap((position) => codes.map((code) => `${position}${code}`));
  // The end of the plan ends the rule, so that a later start does not move the last session beyond it.
  const isWhole = frame.hasEnd && found.length < MAX_OCCURRENCES;
  return [
    `FREQ=${frequency}`,
    ...(interval > 1 ? [`INTERVAL=${interval}`] : []),
    ...(byDay.length > 0 ? [`BYDAY=${byDay.join(',')}`] : []),
    isWhole ? `UNTIL=${frame.end.replaceAll('-', '')}T235959Z` : `COUNT=${found.length}`,
  ].join(';');
}

/** What the person states counts; otherwise the session fits into each of its days and weeks. */
function chooseMinutes(
  frame: PlanFrame,
  rhythm: Rhythm,
  chosen: readonly Weekday[],
  { factor, roomPerDay, minutes }: { readonly factor: number; readonly roomPerDay: number; readonly minutes?: number },
): number {
  const { effort, openMinutes, minutesPerWeek } = frame;
  const perWeek =
    rhythm.unit === 'month'
      ? 1
      : rhythm.unit === 'day'
        ? Math.max(1, Math.round(chosen.length / rhythm.interval))
        : chosen.length;
  const fallback = minutes ?? (perWeek >= 5 ? DEFAULT_DAILY_MINUTES : DEFAULT_SESSION_MINUTES);
  const timesPerDay = rhythm.unit === 'day' ? (rhythm.times ?? 1) : 1;
  const stated =
    (effort.perSession && effort.perSession * timesPerDay) ??
    effort.perDay ??
    (effort.perWeek && Math.floor(effort.perWeek / perWeek));
  const longest = Math.min(...chosen.map((day) => openMinutes.get(day) ?? Number.POSITIVE_INFINITY));
  const limit = Math.min(longest, Math.floor(minutesPerWeek / Math.min(7, perWeek)));
  // What follows a session begins with the next slot. A week that is stated also has the other work in it.
  const isLengthStated = effort.perSession !== undefined || effort.perDay !== undefined;
  const longestSession =
    roomPerDay > 0 && limit >= 2 * roomPerDay && !isLengthStated ? roundDown(limit - roomPerDay) : limit;
  const wanted = Math.round((stated ?? fallback) * factor);
  const isStatedLonger = stated !== undefined && wanted > limit;
  // What was stated and does not fit is kept: the schedule shows that it does not.
  return Math.max(1, isStatedLonger ? wanted : Math.min(wanted, longestSession));
}
