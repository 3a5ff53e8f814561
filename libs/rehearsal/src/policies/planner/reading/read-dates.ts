import { addDays, addMonths, countDays } from './days.js';
import { COUNT, readCount } from './normalise-text.js';
import type { PhraseScanner } from './phrase-scanner.js';
import { NAMED_DAYS, readNamedDays, type NamedDays } from './read-day.js';

/** First and last day of a plan, as far as its words state them. */
export interface DateReading {
  readonly start?: string;
  readonly end?: string;
  /** Number of days of the plan, if the end follows from a stated duration. */
  readonly days?: number;
}

const UNIT = '(hours?|days?|weekends?|weeks?|fortnights?|months?|quarters?|years?)';
const VAGUE =
  '(?:about |around |roughly |under |less than |at most |the next |the coming |the space of |the course of )*';
const duration = new RegExp(
  `\\b(?:in|within|over|for|during|inside|takes?|lasting) ${VAGUE}${COUNT}[ -]?${UNIT}\\b(?! (?:a|per|each|every|old|of)\\b)(?:'s?)?(?: time)?`,
  'i',
);
/** "a 30-day challenge": how long it lasts, and also its name. */
const namedDuration =
  /\b(\d+)[ -](day|week|month|year)s?[ -](?:[a-z]+ )?(?:plan|programme|program|challenge|course|project|bootcamp|sprint|habit|routine|streak|period)\b/i;
/** A clause that is only a duration. Hours alone are effort. */
const bareDuration = new RegExp(
  `(?:^|[,;.:])\\W*(?:about |around |in |within )?${COUNT}[ -]?(?!h)${UNIT}(?=\\W*(?:$|[,;.:]))`,
  'i',
);
const impossible = new RegExp(`\\b(?:in|within|over|for) (?:-\\d+|0) ?${UNIT}\\b`, 'i');
/** What takes place on a day, so that its month is when the work ends, not when it starts. */
const event =
  /\b(?:marathon|triathlon|race|exam|tests?|competition|tournament|concert|recital|wedding|conference|fair|festival|trip|expedition)\b/i;
/** Longest time between the start and an end that is named without a year. */
const MAX_NAMED_DAYS = 300;
/** "By December" near the end of November means the end of December. */
const NEAR_DAYS = 14;

const ENDS =
  '(?:no later than|not later than|at the latest by|finish(?:ed)? (?:it )?(?:by|before|on|in)|(?:be )?(?:ready|done|complete) (?:by|for|before|in)|ending(?: on| in)?|due(?: on| by| in)?|(?:the |my )?deadline(?: is|:)?(?: on| in)?|by|before|until|till|through|(?:in time )?for(?! (?:this|next|the (?:next|week|month|year))))';
const STARTS = '(?:starting|beginning|start|begin|starts|begins|kick(?:ing)? off|as of)(?: it)?(?: from| on| in| at)?';
const namedEnd = new RegExp(`\\b(${ENDS}) (?:the )?${NAMED_DAYS}`, 'i');
const namedStart = new RegExp(`\\b${STARTS} ${NAMED_DAYS}`, 'i');
const startAfter = new RegExp(
  `\\b${STARTS} (?:after )?(?:in )?${COUNT} (days?|weeks?|months?)(?: from now| later)?\\b`,
  'i',
);
const range = new RegExp(
  `\\b(?:from|between|in|during) ${NAMED_DAYS} (?:to|until|till|and|-|through) ${NAMED_DAYS}`,
  'i',
);
const fromDay = new RegExp(`\\bfrom ${NAMED_DAYS}(?: on(?:wards?)?)?`, 'i');
const during = new RegExp(`\\b(?:in|during|over|on|at|this|next) ?${NAMED_DAYS}`, 'i');
const alone = /\b((?:this|next) (?:week|month|year|weekend)|today|tonight|tomorrow)\b/i;

/** Reads the dates of a goal and takes their phrases. `today` is the day on which it is stated; plans start tomorrow unless they say otherwise. */
export function readDates(scanner: PhraseScanner, today: string): DateReading {
  const between = readRange(scanner, today);
  if (between) return between;
  const start = readStart(scanner, today);
  const end = readEnd(scanner, today, start);
  // Plans start tomorrow, unless they end before that.
  const first = start ?? (end.end === today ? today : undefined);
  return { ...(first !== undefined && { start: first }), ...end };
}

function readRange(scanner: PhraseScanner, today: string): DateReading | undefined {
  const match = scanner.take(range, ([, from, to]) => {
    return readNamedDays(from!, today) !== undefined && readNamedDays(to!, today) !== undefined;
  });
  if (match === undefined) return undefined;
  const start = readNamedDays(match[1]!, today)!.first;
  return { start, end: readNamedDays(match[2]!, start)!.last };
}

function readStart(scanner: PhraseScanner, today: string): string | undefined {
  const after = scanner.take(startAfter);
  if (after) return addDuration(today, readCount(after[1]!), after[2]!);
  const named = scanner.take(namedStart) ?? scanner.take(fromDay);
  return named && readNamedDays(named[1]!, today)?.first;
}

function readEnd(scanner: PhraseScanner, today: string, start: string | undefined): DateReading {
  const named = scanner.take(namedEnd);
  const days = named && readEndDays(named[2]!, today, start);
  if (named && days) {
    const isNear = /by$/i.test(named[1]!) && countDays(start ?? today, days.first) <= NEAR_DAYS;
    // "By June" and "before June" end with May; "through June" and "by 14 June" include the named day.
    const isWithin =
      isNear || /through|\b(?:in|on)$/i.test(named[1]!) || (days.first === days.last && !/before/i.test(named[1]!));
    return { end: isWithin ? days.last : addDays(days.first, -1) };
  }
  // "A marathon in under 4 hours" is a result.
  const isNoResult = ([whole]: RegExpExecArray) => !/(?:under|less than|at most) .*hours?$/i.test(whole);
  scanner.take(impossible);
  const isSome = ([, count]: RegExpExecArray) => readCount(count!) > 0;
  const stated =
    scanner.take(duration, (match) => isNoResult(match) && isSome(match)) ??
    scanner.find(namedDuration) ??
    scanner.take(bareDuration, isSome);
  if (stated) {
    const end = addDuration(start ?? today, readCount(stated[1]!), stated[2]!, start !== undefined);
    return { end, days: Math.max(1, countDays(start ?? addDays(today, 1), end)) };
  }
  const within = scanner.take(during) ?? scanner.take(alone);
  const span = within && readNamedDays(within[1]!, today);
  if (span === undefined) return {};
  const first = addDays(today, 1);
  const isStart = span.first > first && span.first !== span.last && !event.test(scanner.rest);
  return { ...(isStart && { start: span.first }), end: span.last };
}

/** An end without a year is the first one after the start, unless that is nearly a year later: then the words contradict each other, which is not hidden. */
function readEndDays(words: string, today: string, start: string | undefined): NamedDays | undefined {
  const days = readNamedDays(words, start ?? today);
  const isFar =
    days && start !== undefined && countDays(start, days.last) > MAX_NAMED_DAYS && !/\d{4}|year/.test(words);
  return isFar ? readNamedDays(words, today) : days;
}

/** Returns the day after a duration. If the first day is known, it is part of the duration. */
function addDuration(from: string, count: number, unit: string, isFirstDay = false): string {
  const day = addUnits(from, count, unit.toLowerCase().replace(/s$/, ''));
  return isFirstDay && day > from ? addDays(day, -1) : day;
}

function addUnits(from: string, count: number, unit: string): string {
  switch (unit) {
    case 'hour':
      return addDays(from, Math.ceil(count / 24));
    case 'day':
      return addDays(from, Math.round(count));
    case 'fortnight':
      return addDays(from, Math.round(14 * count));
    case 'week':
    case 'weekend':
      return addDays(from, Math.round(7 * count));
    case 'month':
      return count % 1 === 0 ? addMonths(from, count) : addDays(from, Math.round(30.4 * count));
    case 'quarter':
      return addMonths(from, 3 * Math.round(count));
    default:
      return addMonths(from, Math.round(12 * count));
  }
}
