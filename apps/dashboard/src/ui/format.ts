/** Formats that the command line uses too: sizes, amounts in micro-USD, and numbers for a narrow place. */
export { formatBytes, formatCount as formatShortCount, formatUsd } from '@phaseline/client';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a duration in milliseconds with two units at most: `45 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return joinUnits(ms, MINUTE, 'min', SECOND, 's');
  if (ms < DAY) return joinUnits(ms, HOUR, 'h', MINUTE, 'min');
  return joinUnits(ms, DAY, 'd', HOUR, 'h');
}

function joinUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}

/** Formats a whole number with separators of thousands: `1,234,567`. Written out, because `toLocaleString` took a third of the time of a move of the slider. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Writes a plural only where needed: `1 job`, `3 jobs`. */
export function pluralise(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0');

/** Formats a time of day in the time zone of the browser, with milliseconds if asked for. */
export function formatClock(at: string, withMilliseconds = false): string {
  const date = new Date(at);
  const clock = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
  return withMilliseconds ? `${clock}.${pad(date.getMilliseconds(), 3)}` : clock;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** Formats a date and time in the time zone of the browser: `28 Nov 2026, 14:05:09`. */
export function formatDateTime(at: string): string {
  const date = new Date(at);
  return `${date.getDate()} ${months[date.getMonth()]} ${date.getFullYear()}, ${formatClock(at)}`;
}

/** Writes a name or a code of the API, such as `milestone_project`, as words. */
export function toWords(name: string): string {
  return name.replaceAll('_', ' ');
}
