import { addDays, countDays, getWeekday, weekdays, WORKDAYS, type Weekday } from '../reading/days.js';
import type { ConversationReading } from '../reading/read-conversation.js';
import type { EffortReading } from '../reading/read-effort.js';
import type { GoalReading } from '../reading/read-goal.js';
import type { Rhythm } from '../reading/read-rhythm.js';
import type { PlanContext } from '../session.js';
import { estimateQuantity } from '../work-rates.js';

/** The time that a plan has. All minutes are whole. */
export interface PlanFrame {
  readonly start: string;
  /** Last day. If none is stated, that of the assumed horizon. */
  readonly end: string;
  readonly hasEnd: boolean;
  /** Minutes in which work can be done, per weekday; a weekday without hours is left out. */
  readonly openMinutes: ReadonlyMap<Weekday, number>;
  readonly minutesPerWeek: number;
  readonly holidays: ReadonlySet<string>;
  readonly rhythm?: Rhythm;
  readonly effort: EffortReading;
}

/** Values of a context that nobody has set: those of the tool. */
const DEFAULT_MINUTES_PER_DAY = 240;
const DEFAULT_MINUTES_PER_WEEK = 1_200;
const DEFAULT_OPEN_MINUTES = 8 * 60;

/** Horizon in weeks of plans without an end: a quarter, half a year for what adds up or changes a state, a year for what is done every month. */
const HORIZON_WEEKS = 12;
const LONG_HORIZON_WEEKS = 26;
const MONTHLY_HORIZON_WEEKS = 52;
const MAX_HORIZON_WEEKS = 5 * 52;
const WEEKS_PER_PERIOD = { day: 1 / 7, week: 1, month: 365 / 84, year: 52 } as const;

/** Builds the frame: requested changes count more than the context, and the context more than the words of the goal. */
export function buildFrame(
  { goal, requested }: Pick<ConversationReading, 'goal' | 'requested'>,
  context: PlanContext | undefined,
  today: string,
): PlanFrame {
  const start = requested?.dates.start ?? context?.dates.start ?? goal.dates.start ?? addDays(today, 1);
  const wanted = requested?.dates.end ?? context?.dates.end ?? goal.dates.end;
  // A later end than that of the context is not scheduled.
  const stated =
    wanted !== undefined && context?.dates.end !== undefined && wanted > context.dates.end ? context.dates.end : wanted;
  const rhythm = requested?.rhythm ?? goal.rhythm;
  const base: Omit<PlanFrame, 'end'> = {
    ...{ start, hasEnd: stated !== undefined },
    ...readCapacity(context),
    holidays: new Set(context?.calendar.holidays.map(({ day }) => day)),
    ...(rhythm && { rhythm }),
    effort: Object.keys(requested?.effort ?? {}).length > 0 ? requested!.effort : goal.effort,
  };
  const end = stated ?? addDays(start, 7 * countHorizonWeeks(goal, base) - 1);
  // A plan that ends before it starts is the person's to correct; the outline is drawn for one day.
  return { ...base, end: end < start ? start : end };
}

/** Weeks of a plan without an end: as long as work of a stated size takes, with half of it to spare, and at least the usual horizon. */
function countHorizonWeeks({ measure, changeOfState, text }: GoalReading, frame: Omit<PlanFrame, 'end'>): number {
  const { pace } = measure ?? {};
  // A pace says how long it takes.
  if (measure && pace)
    return Math.max(1, Math.ceil(((measure.to - measure.from) / pace.amount) * WEEKS_PER_PERIOD[pace.per]));
  const isLong = measure?.isCumulative === true || changeOfState >= 0.5;
  const usual = frame.rhythm?.unit === 'month' ? MONTHLY_HORIZON_WEEKS : isLong ? LONG_HORIZON_WEEKS : HORIZON_WEEKS;
  const work = measure && measure.per === undefined ? (estimateQuantity(measure, text) ?? 0) : 0;
  const open = [...frame.openMinutes.values()].reduce((sum, minutes) => sum + roundDown(minutes), 0);
  const perWeek = Math.min(open, frame.minutesPerWeek, countStatedMinutes(frame) ?? Number.POSITIVE_INFINITY);
  return Math.max(usual, perWeek > 0 ? Math.min(MAX_HORIZON_WEEKS, Math.ceil((1.5 * work) / perWeek)) : 0);
}

function readCapacity(context: PlanContext | undefined): Pick<PlanFrame, 'openMinutes' | 'minutesPerWeek'> {
  if (context === undefined) {
    const open = Math.min(DEFAULT_MINUTES_PER_DAY, DEFAULT_OPEN_MINUTES);
    return { openMinutes: new Map(WORKDAYS.map((day) => [day, open])), minutesPerWeek: DEFAULT_MINUTES_PER_WEEK };
  }
  const { calendar, capacity, strategy } = context;
  const share = 1 - strategy.bufferShare;
  const openMinutes = new Map<Weekday, number>();
  for (const weekday of weekdays) {
    const hours = calendar.hours.filter((entry) => entry.weekday === weekday);
    const open = hours.reduce((sum, { from, to }) => sum + readClock(to) - readClock(from), 0);
    if (open > 0) openMinutes.set(weekday, Math.min(open, Math.floor(capacity.minutesPerDay * share)));
  }
  return { openMinutes, minutesPerWeek: Math.floor(capacity.minutesPerWeek * share) };
}

function readClock(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return 60 * hours + minutes;
}

/** Minutes per week that the person stated; `undefined` if the words state no effort. */
export function countStatedMinutes({ effort, openMinutes, rhythm }: Omit<PlanFrame, 'end'>): number | undefined {
  if (effort.perWeek !== undefined) return effort.perWeek;
  if (effort.perDay !== undefined) return effort.perDay * openMinutes.size;
  const perWeek = rhythm?.unit === 'week' ? (rhythm.times ?? 1) / rhythm.interval : undefined;
  return effort.perSession === undefined || perWeek === undefined ? undefined : effort.perSession * perWeek;
}

/** Number of days of the plan, both ends included. */
export function countPlanDays({ start, end }: Pick<PlanFrame, 'start' | 'end'>): number {
  return countDays(start, end);
}

/** Longest part of a plan that is counted day by day: the rest has the same weeks. */
const MAX_COUNTED_DAYS = 3 * 366;
/** Work that is placed freely is placed in pieces of this length. */
const SLOT_MINUTES = 15;

/** Longest task of an outline: a year of eight-hour working days. */
const MAX_TASK_MINUTES = 8 * 60 * 260;

/** Minutes of work that fit into the plan besides the sessions: `busy` returns the minutes that a day has for them already. */
export function countFreeMinutes(frame: PlanFrame, busy: (day: string) => number): number {
  const free = new Map<number, number>();
  const taken = new Map<number, number>();
  const days = Math.min(countPlanDays(frame), MAX_COUNTED_DAYS);
  for (let index = 0; index < days; index++) {
    const day = addDays(frame.start, index);
    const week = Math.floor((index + weekdays.indexOf(getWeekday(frame.start))) / 7);
    const sessions = busy(day);
    const open = frame.holidays.has(day) ? 0 : (frame.openMinutes.get(getWeekday(day)) ?? 0);
    taken.set(week, (taken.get(week) ?? 0) + sessions);
    free.set(week, (free.get(week) ?? 0) + roundDown(Math.max(0, open - sessions)));
  }
  const perWeek = [...free].map(([week, minutes]) =>
    Math.max(0, Math.min(minutes, frame.minutesPerWeek - taken.get(week)!)),
  );
  return perWeek.reduce((sum, minutes) => sum + roundDown(minutes), 0);
}

/** Rounds minutes up to whole slots: what follows a session begins with the next one. */
export function roundUp(minutes: number): number {
  return Math.ceil(minutes / SLOT_MINUTES) * SLOT_MINUTES;
}

export function roundDown(minutes: number): number {
  return minutes - (minutes % SLOT_MINUTES);
}

/**
 * Divides work among tasks by weights, in slots. Each task has at least one, so that the sum can be more than `total` if that is less than a slot
 * per task.
 */
export function divideWork(total: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => Math.min(MAX_TASK_MINUTES, Math.max(SLOT_MINUTES, roundDown((total * weight) / sum))));
}

/** Returns the day after which a share of the plan has passed: the last day for 1. */
export function findDayAt(frame: Pick<PlanFrame, 'start' | 'end'>, share: number): string {
  return addDays(frame.start, Math.max(0, Math.round(countPlanDays(frame) * share) - 1));
}
