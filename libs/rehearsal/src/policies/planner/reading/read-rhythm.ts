import { weekdays, WORKDAYS, type Weekday } from './days.js';
import { COUNT, readCount } from './normalise-text.js';
import type { PhraseScanner } from './phrase-scanner.js';

/** How often something is repeated. */
export interface Rhythm {
  readonly unit: 'day' | 'week' | 'month';
  /** Every how many units: 2 for "every other week". */
  readonly interval: number;
  /** Times per unit, if stated. */
  readonly times?: number;
  /** Weekdays, if stated. */
  readonly weekdays?: readonly Weekday[];
  /** Which such weekday of the month: 1 for the first, -1 for the last. */
  readonly position?: number;
}

const DAY = `(?:${weekdays.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')}|tues|thurs|thur)`;
/** Source of a pattern for one or more weekdays, as `parseWeekdays` reads them. */
export const DAYS = `${DAY}s?(?:(?: ?, ?(?:and )?| ?(?:and|or|&|\\+|\\/) ?)${DAY}s?)*`;
const PART = '(?: (?:morning|afternoon|evening|night)s?| lunch(?:time)?s?)?';
const UNIT = '(days?|weeks?|months?|quarters?|years?|fortnights?|weekends?)';
const TIMES = '(once|twice|thrice|one|\\d+)(?:(?: ?- ?| to | or )(\\d+))?';
/** What is counted, up to two words. Quantities of effort, distance and money are no occasions. */
const OCCASION =
  '(?: ?x| times?| (?!(?:hours?|hrs?|h|minutes?|mins?|min)\\b)[a-z-]+(?: (?!(?:in|for|over|within|by|at|on|to|with)\\b)[a-z-]+)?)?';
const POSITIONS: Readonly<Record<string, number>> = { first: 1, second: 2, third: 3, fourth: 4, last: -1 };

const weekdayRange = new RegExp(
  `\\b(?:from |on |every )?(${DAY})s? (?:to|through|until|till|-) (${DAY})s?\\b${PART}`,
  'i',
);
const positioned = new RegExp(
  `\\b(?:on )?(?:every|each|the) (first|second|third|fourth|last) (${DAY}) (?:of|in) (?:the|each|every|a) month\\b`,
  'i',
);
const listed = new RegExp(`\\b(every other|every second|every|each|only(?: on)?|on) (${DAYS})\\b${PART}`, 'i');
/** "Tuesday evenings" is every Tuesday. */
const pluralPart = new RegExp(
  `\\b(?:on )?((?:${DAY}(?: ?, ?| and | or | & ))*${DAY}) (?:mornings|afternoons|evenings|nights)\\b`,
  'i',
);
const plural = new RegExp(`\\b(?:on )?((?:${DAY}s?(?: ?, ?| and | or | & ))*${DAY}s)\\b${PART}`, 'i');
const bare = new RegExp(`^\\W*(?:on )?(${DAYS})${PART}\\W*$`, 'i');
const counted = new RegExp(`\\b(?:only )?${TIMES}(${OCCASION}) ?(a|per|each|every|in a|\\/) ?${UNIT}\\b`, 'i');
const plainOccasions =
  /^(?: ?x| times?| (?:evening|morning|afternoon|night|session|day|workout|lesson|training|run|occasion)s?)?$/i;
const occasions =
  /\b(?:only )?(once|twice|thrice|\d+) (evenings?|mornings?|afternoons?|nights?|sessions?|days?)\b(?! ?(?:a|per|each|every|of)\b)/i;
const everyFew = new RegExp(`\\bevery (?:${COUNT} |(other|second) )(days?|weeks?|months?|mornings?|evenings?)\\b`, 'i');
const workdays =
  /\b(?:on |every |each )?(?:weekdays?|working days?|workdays?)\b(?: (?:morning|afternoon|evening|night)s?)?/i;
const weekends = /\b(?:(?:only )?(?:on|at|every|each) (?:the )?weekends?|(?<!\d )weekends)\b/i;
const someWeekends = /\b\d+ weekends?\b/i;
const daily =
  /\b(?:every (?:single )?|each )(?:day|morning|evening|night|afternoon)\b|\bdaily\b|\bnightly\b|\b(?:a|per) day\b|\bper (?:morning|evening|night)\b/i;
/** What is done before bed is done every day. */
const bedtime = /\b(?:before (?:bed(?:time)?|sleep(?:ing)?|breakfast)|after (?:breakfast|dinner))\b/i;
const weekly = /\b(?:every|each) week\b|\bweekly\b/i;
const fortnightly = /\b(?:every fortnight|fortnightly|bi-?weekly)\b/i;
const monthly = /\b(?:every|each) month\b|\bmonthly\b/i;
const quarterly = /\b(?:every|each) quarter\b|\bquarterly\b/i;
/** More things per day are not done one by one. */
const MAX_THINGS_PER_DAY = 4;
/** Adjectives of a name, such as "a daily routine", stay in the text. */
const adjective =
  /\b(?:a|my|our|the|new)\W+(?:\w+ )?(?:daily|nightly|weekly|monthly|quarterly|bi-?weekly|fortnightly) (?!(?:at|on|in|for|until|by|from|with)\b)(?=[a-z])/i;
/** "The quarterly report" is one of them. */
const oneOfMany =
  /\bthe (?:next )?(?:weekly|monthly|quarterly) (?:reports?|statements?|accounts|audit|results|presentation|magazine|issue)\b/i;

/** Reads how often something is repeated, and takes the phrase. `undefined` if it is not stated. */
export function readRhythm(scanner: PhraseScanner): Rhythm | undefined {
  const days = readWeekdays(scanner);
  const count = readTimes(scanner);
  if (days === undefined) return count ?? readFrequency(scanner);
  // "Once a month on Wednesdays", and "four times a week, and on Sundays longer".
  if (count?.unit === 'month') return { ...count, weekdays: days.weekdays! };
  if (count?.unit === 'week' && count.interval === 1 && count.times !== days.times) return count;
  return { ...days, ...(count?.unit === 'week' && count.interval > 1 && { interval: count.interval }) };
}

function readWeekdays(scanner: PhraseScanner): Rhythm | undefined {
  const atPosition = scanner.take(positioned);
  if (atPosition) {
    const position = POSITIONS[atPosition[1]!.toLowerCase()]!;
    return { unit: 'month', interval: 1, times: 1, weekdays: parseWeekdays(atPosition[2]!), position };
  }
  const span = scanner.take(weekdayRange);
  if (span) return byWeekdays(listRange(span[1]!, span[2]!));
  if (scanner.find(someWeekends) ?? scanner.take(weekends)) return byWeekdays(['saturday', 'sunday']);
  if (scanner.take(workdays)) return byWeekdays(WORKDAYS);
  // "On Monday" is a date; "on Mondays" and "every Monday" are not.
  const list = scanner.take(listed, ([, word, names]) => !/^on$/i.test(word!) || /s$|,|\band\b/i.test(names!));
  if (list) {
    const names = [...parseWeekdays(list[2]!), ...takeFurtherWeekdays(scanner)];
    return { ...byWeekdays(names), interval: /other|second/i.test(list[1]!) ? 2 : 1 };
  }
  const several =
    scanner.take(pluralPart) ??
    scanner.take(plural, ([, names]) => parseWeekdays(names!).length > 0) ??
    scanner.take(bare);
  return several && byWeekdays([...parseWeekdays(several[1]!), ...takeFurtherWeekdays(scanner)]);
}

/** "Swim on Mondays, run on Fridays" names weekdays in several places. */
function takeFurtherWeekdays(scanner: PhraseScanner): readonly Weekday[] {
  const found: Weekday[] = [];
  for (let match = scanner.take(plural); match !== undefined; match = scanner.take(plural))
    found.push(...parseWeekdays(match[1]!));
  return found;
}

function byWeekdays(days: readonly Weekday[]): Rhythm {
  const names = weekdays.filter((name) => days.includes(name));
  return { unit: 'week', interval: 1, times: names.length, weekdays: names };
}

export function parseWeekdays(words: string): readonly Weekday[] {
  const text = words.toLowerCase();
  return weekdays.filter((name) => new RegExp(`\\b${name.slice(0, 3)}`).test(text));
}

function listRange(from: string, to: string): readonly Weekday[] {
  const [first, last] = [from, to].map((word) => weekdays.indexOf(parseWeekdays(word)[0]!)) as [number, number];
  return weekdays.filter((_, index) =>
    first <= last ? index >= first && index <= last : index >= first || index <= last,
  );
}

function readTimes(scanner: PhraseScanner): Rhythm | undefined {
  const isOccasion = ([, , , noun = '', word]: RegExpExecArray) =>
    !/^in a$/i.test(word!) &&
    // "At 6 every day" are no six times.
    !(noun === '' && /^e/i.test(word!)) &&
    !/euro|dollar|pound|km|kilo|mile|page|word|percent|month|week|year|quarter|hour|minute/i.test(noun);
  // "In 9 days, every day" has no nine days a day.
  const isPlainOccasion = (found: RegExpExecArray) =>
    isOccasion(found) && plainOccasions.test(found[3]!) && !(/^ days?$/i.test(found[3]!) && /^day/i.test(found[5]!));
  // "2 blog posts a week" is also what the goal is about, so that it stays in the text.
  const match = scanner.take(counted, isPlainOccasion) ?? scanner.findWhere(counted, isOccasion);
  if (match) {
    const [, least, most, noun, , unit] = match;
    const times = readTimesWord(most ?? least!);
    // "100 push-ups a day" is a quantity.
    if (/^day/i.test(unit!) && times > MAX_THINGS_PER_DAY && !plainOccasions.test(noun!))
      return { unit: 'day', interval: 1 };
    if (/^week/i.test(unit!) && times > weekdays.length && !plainOccasions.test(noun!)) return undefined;
    return countPer(times, unit!.toLowerCase());
  }
  const some = scanner.take(occasions, ([, , noun]) => !/^days?$/i.test(noun!));
  return some && { unit: 'week', interval: 1, times: Math.min(7, readTimesWord(some[1]!)) };
}

function readTimesWord(word: string): number {
  return { once: 1, one: 1, twice: 2, thrice: 3 }[word.toLowerCase()] ?? Number(word);
}

function countPer(times: number, unit: string): Rhythm {
  if (unit.startsWith('day')) return { unit: 'day', interval: 1, times };
  if (unit.startsWith('weekend')) return byWeekdays(['saturday', 'sunday']);
  if (unit.startsWith('week')) return { unit: 'week', interval: 1, times: Math.min(7, times) };
  if (unit.startsWith('fortnight')) return { unit: 'week', interval: 2, times: Math.min(7, times) };
  const interval = unit.startsWith('month') ? 1 : unit.startsWith('quarter') ? 3 : 12;
  // Several times per year are once every few months.
  if (interval > 1 && times > 1)
    return { unit: 'month', interval: Math.max(1, Math.floor(interval / times)), times: 1 };
  return { unit: 'month', interval, times: Math.min(4, times) };
}

function readFrequency(scanner: PhraseScanner): Rhythm | undefined {
  const few = scanner.take(everyFew);
  if (few) {
    const [, count, , unit] = few;
    const interval = count === undefined ? 2 : readCount(count);
    return { unit: /week/i.test(unit!) ? 'week' : /month/i.test(unit!) ? 'month' : 'day', interval };
  }
  if (scanner.find(oneOfMany)) return undefined;
  const has = (pattern: RegExp) =>
    (scanner.find(adjective) ? scanner.find(pattern) : scanner.take(pattern)) !== undefined;
  if (has(daily)) return { unit: 'day', interval: 1 };
  if (has(fortnightly)) return { unit: 'week', interval: 2 };
  if (has(weekly)) return { unit: 'week', interval: 1 };
  if (has(monthly)) return { unit: 'month', interval: 1 };
  if (has(quarterly)) return { unit: 'month', interval: 3 };
  return scanner.find(bedtime) ? { unit: 'day', interval: 1 } : undefined;
}
