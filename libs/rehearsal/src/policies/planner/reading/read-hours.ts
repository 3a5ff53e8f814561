import type { PhraseScanner } from './phrase-scanner.js';

/** Part of a day in minutes since midnight. */
export interface HourRange {
  readonly from: number;
  readonly to: number;
}

/** Hours of the parts of a day, in minutes since midnight. Three to four hours, so that a long session fits. */
const parts: readonly (readonly [RegExp, HourRange])[] = [
  [/\bbefore work\b/i, { from: 6 * 60, to: 8 * 60 }],
  [/\bafter work\b/i, { from: 17 * 60 + 30, to: 21 * 60 }],
  [/\b(?:during|at|in|over) (?:my |the )?lunch(?: ?break|time)?s?\b/i, { from: 12 * 60, to: 13 * 60 }],
  [/\b(?:before bed(?:time)?|before sleep(?:ing)?|at night|nights?|nightly)\b/i, { from: 20 * 60, to: 23 * 60 }],
  [/\bmornings?\b/i, { from: 6 * 60, to: 9 * 60 }],
  [/\bafternoons?\b/i, { from: 13 * 60, to: 17 * 60 }],
  [/\bevenings?\b/i, { from: 18 * 60, to: 21 * 60 }],
];
const CLOCK = String.raw`(\d{1,2})(?:[:.](\d{2}))? ?(am|pm|a\.m\.|p\.m\.|o'clock)?`;
const clockRange = new RegExp(
  `\\b(?:from |between )?${CLOCK} ?(?:to|and|-|until) ?${CLOCK}(?![\\d/]| ?(?:[a-z]*(?:day|week|month|year|km|kg|euro|page|book|minute)|%))`,
  'i',
);
const clock = new RegExp(`\\b(?:at|around|from) ${CLOCK}(?!\\d|[:/]| ?%| [a-z]+s\\b)`, 'i');
/** "Wake up at 6 every day": the morning, and from 1 to 4 the afternoon. */
const bareClock = /\bat (\d{1,2})(?= (?:every|each|daily|on|for|until|from|starting)\b|\s*(?:$|[,;.]))/i;
const noon = /\bat noon\b/i;
/** Words of a part of the day that remain when "every evening" was taken. */
const leftover =
  /\b(?:in the |on |each |every )(?:mornings?|afternoons?|evenings?|nights?)\b|\b(?:before|after) work\b|\bbefore (?:bed(?:time)?|sleep(?:ing)?)\b|\bat night\b|\b(?:during|at|in|over) (?:my |the )?lunch(?: ?break|time)?s?\b/i;

const HOUR = 60;

/** Reads times on the clock, such as "at 7 pm", and takes their phrases. */
export function readClockHours(scanner: PhraseScanner): HourRange | undefined {
  const between = scanner.take(clockRange, ([, from, minute, fromHalf, to, , toHalf]) => {
    return Number(from) <= 24 && Number(to) <= 24 && (toHalf ?? fromHalf ?? minute) !== undefined;
  });
  if (between) {
    const [, from, fromMinute, fromHalf, to, toMinute, toHalf] = between;
    const end = readClock(to!, toMinute, toHalf);
    const isAfternoon = end > 12 * HOUR && Number(from) < Number(to);
    const start = readClock(from!, fromMinute, fromHalf ?? (isAfternoon ? toHalf : undefined));
    if (start < end) return { from: start, to: end };
  }
  const at = scanner.take(clock, ([, hour, minute, half]) => Number(hour) <= 24 && (half ?? minute) !== undefined);
  if (at) return startAt(readClock(at[1]!, at[2], at[3]));
  const bare = scanner.take(bareClock, ([, hour]) => Number(hour) >= 1 && Number(hour) <= 23);
  if (bare) return startAt(HOUR * (Number(bare[1]) < 5 ? Number(bare[1]) + 12 : Number(bare[1])));
  return scanner.take(noon) && startAt(12 * HOUR);
}

function startAt(from: number): HourRange {
  return { from: Math.min(from, 23 * HOUR), to: Math.min(24 * HOUR, from + HOUR) };
}

/** Reads the part of the day that a text names, also in "three evenings a week", and takes the phrases that remain of it. */
export function readPartOfDay(scanner: PhraseScanner, whole: string): HourRange | undefined {
  const part = parts.find(([pattern]) => pattern.test(whole))?.[1];
  while (scanner.take(leftover));
  return part;
}

function readClock(hour: string, minute: string | undefined, half: string | undefined): number {
  const isAfternoon = /^p/i.test(half ?? '');
  const hours =
    Number(hour) === 12 && half !== undefined ? (isAfternoon ? 12 : 0) : Number(hour) + (isAfternoon ? 12 : 0);
  return Math.min(24 * HOUR, hours * HOUR + Number(minute ?? 0));
}
