const MS_PER_DAY = 86_400_000;

/** Weekdays as plans name them; the index of Monday is 0. */
export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof weekdays)[number];

export const WORKDAYS: readonly Weekday[] = weekdays.slice(0, 5);

/** Names of the months, January first. */
export const months = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
] as const;

function toNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / MS_PER_DAY;
}

function toDay(number: number): string {
  return new Date(number * MS_PER_DAY).toISOString().slice(0, 10);
}

/** Returns a calendar day, YYYY-MM-DD. A day after the end of the month becomes its last day. `month` begins at 1 and may exceed 12. */
export function buildDay(year: number, month: number, day: number): string {
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1, Math.min(day, lastDay))).toISOString().slice(0, 10);
}

export function addDays(day: string, count: number): string {
  return toDay(toNumber(day) + count);
}

export function addMonths(day: string, count: number): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return buildDay(year, month + count, date);
}

/** Number of days from one day to another, both included. */
export function countDays(from: string, to: string): number {
  return toNumber(to) - toNumber(from) + 1;
}

export function getWeekday(day: string): Weekday {
  return weekdays[(((toNumber(day) + 3) % 7) + 7) % 7]!;
}

/** Returns the first such weekday on or after a day. */
export function findWeekday(weekday: Weekday, from: string): string {
  const ahead = weekdays.indexOf(weekday) - weekdays.indexOf(getWeekday(from));
  return addDays(from, (ahead + 7) % 7);
}
