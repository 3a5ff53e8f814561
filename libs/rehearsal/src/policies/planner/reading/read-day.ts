import { addDays, addMonths, buildDay, findWeekday, months, weekdays, type Weekday } from './days.js';

/** A stretch of calendar days that words name: a day, a month, a year. */
export interface NamedDays {
  readonly first: string;
  readonly last: string;
}

const monthNames = `${months.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec`;
const ORDINAL = '(?:st|nd|rd|th)?';
const YEAR = '(?:,? (\\d{4}))?';
const namedDays = {
  iso: /(\d{4}-\d{2}-\d{2})/,
  dayMonth: new RegExp(`(?:the )?(\\d{1,2})${ORDINAL}(?: of)? (${monthNames})\\b\\.?${YEAR}`),
  monthDay: new RegExp(`(${monthNames})\\b\\.? (?:the )?(\\d{1,2})${ORDINAL}\\b(?!\\d)${YEAR}`),
  part: new RegExp(
    `(?:the )?(end|start|beginning|middle) of ((?:the )?(?:first|second|third|fourth|last) quarter(?: of)?|q[1-4]|${monthNames}|(?:the|this|next) (?:week|month|year)|20[2-9]\\d)\\b${YEAR}`,
  ),
  quarter: new RegExp(`(?:the )?(?:(first|second|third|fourth|last) quarter(?: of)?|q([1-4]))\\b${YEAR}`),
  month: new RegExp(`(?:next )?(${monthNames})\\b${YEAR}`),
  relative: /(today|tonight|tomorrow|(?:this|next) (?:week|month|year)|(?:the|this|next) weekend)\b/,
  weekday: new RegExp(`((?:next |this |the )?(?:${weekdays.join('|')}))\\b`),
  feast: /(christmas(?: eve| day)?|new year(?:'s(?: eve| day)?)?|halloween|valentine's day)\b/,
  // "by 2030", but not "over 2000 euros".
  year: /(20[2-9]\d)\b(?=$|[,.;!?]| ;| and | with | at )/,
};
const feasts: Readonly<Record<string, readonly [month: number, day: number]>> = {
  christmas: [12, 24],
  'new year': [12, 31],
  halloween: [10, 31],
  valentine: [2, 14],
};

/** Source of a pattern for the words that `readNamedDays` understands, as one group. Seasons are left out: they are no days. */
export const NAMED_DAYS = `(${Object.values(namedDays)
  .map(({ source }) => source.replace(/(?<!\\)\((?!\?)/g, '(?:'))
  .join('|')})`;

/** Returns the days that words such as "14 March" name. Without a year, the next such days after `today`. `undefined` if there are none. */
export function readNamedDays(words: string, today: string): NamedDays | undefined {
  const text = words.toLowerCase().trim();
  const find = (name: keyof typeof namedDays) => new RegExp(`^${namedDays[name].source}$`).exec(text);
  const iso = find('iso')?.[1];
  if (iso !== undefined) return Number.isNaN(Date.parse(iso)) ? undefined : { first: iso, last: iso };
  const [, day, month, year] = find('dayMonth') ?? [];
  if (day !== undefined) return readDate(Number(day), month!, year, today);
  const [, name, date, ofYear] = find('monthDay') ?? [];
  if (name !== undefined) return readDate(Number(date), name, ofYear, today);
  const [, part, whole, partYear] = find('part') ?? [];
  if (part !== undefined) return readPart(part, `${whole}${partYear === undefined ? '' : ` ${partYear}`}`, today);
  const [, quarterName, quarterNumber, quarterYear] = find('quarter') ?? [];
  if (quarterName !== undefined || quarterNumber !== undefined)
    return readQuarter(
      quarterNumber === undefined ? quarters[quarterName!]! : Number(quarterNumber),
      quarterYear,
      today,
    );
  const [, monthName, monthYear] = find('month') ?? [];
  if (monthName !== undefined) return readMonth(monthName, monthYear, today);
  const numberOfYear = find('year')?.[1];
  if (numberOfYear !== undefined) return { first: `${numberOfYear}-01-01`, last: `${numberOfYear}-12-31` };
  return readRelative(text, today);
}

function readDate(day: number, month: string, year: string | undefined, today: string): NamedDays | undefined {
  // 2028 is a leap year: days that no year has are no days.
  if (day < 1 || Number(buildDay(2028, readMonthNumber(month), day).slice(8)) !== day) return undefined;
  const found = pickYear((number) => buildDay(number, readMonthNumber(month), day), year, today);
  return { first: found, last: found };
}

function readMonthNumber(name: string): number {
  return months.findIndex((month) => month.startsWith(name.slice(0, 3))) + 1;
}

/** Returns the day in the stated year, or in the first year in which it is not before today. */
function pickYear(build: (year: number) => string, year: string | undefined, today: string): string {
  const thisYear = Number(today.slice(0, 4));
  if (year !== undefined) return build(Number(year));
  return build(thisYear) < today ? build(thisYear + 1) : build(thisYear);
}

const quarters: Readonly<Record<string, number>> = { first: 1, second: 2, third: 3, fourth: 4, last: 4 };

function readQuarter(number: number, year: string | undefined, today: string): NamedDays {
  const last = pickYear((found) => buildDay(found, 3 * number, 31), year, today);
  return { first: `${addMonths(last, -2).slice(0, 8)}01`, last };
}

function readMonth(name: string, year: string | undefined, today: string): NamedDays {
  const last = pickYear((number) => buildDay(number, readMonthNumber(name), 31), year, today);
  return { first: `${last.slice(0, 8)}01`, last };
}

function readPart(part: string, whole: string, today: string): NamedDays | undefined {
  const days = readNamedDays(whole.replace(/^the /, 'this '), today);
  if (days === undefined) return undefined;
  const { first, last } = days;
  if (part === 'end') return { first: last, last };
  const isYear = first.slice(5) === '01-01' && last.slice(5) === '12-31';
  const day = part === 'middle' ? (isYear ? addMonths(first, 6) : addDays(first, 14)) : first;
  return { first: day, last: day };
}

function readRelative(text: string, today: string): NamedDays | undefined {
  const [year, month] = today.split('-').map(Number) as [number, number];
  if (text === 'today' || text === 'tonight') return { first: today, last: today };
  const tomorrow = addDays(today, 1);
  if (text === 'tomorrow') return { first: tomorrow, last: tomorrow };
  const weeks = text.startsWith('next') ? 1 : 0;
  const monday = addDays(findWeekday('monday', addDays(today, -6)), 7 * weeks);
  if (/weekend$/.test(text)) return { first: addDays(monday, 5), last: addDays(monday, 6) };
  if (/ week$/.test(text)) return { first: monday, last: addDays(monday, 6) };
  if (/ month$/.test(text)) {
    const first = buildDay(year, month + weeks, 1);
    return { first, last: addDays(addMonths(first, 1), -1) };
  }
  if (/ year$/.test(text)) return { first: `${year + weeks}-01-01`, last: `${year + weeks}-12-31` };
  const weekday = weekdays.find((name) => text.endsWith(name));
  if (weekday !== undefined) return readWeekday(weekday, tomorrow);
  const feast = Object.entries(feasts).find(([name]) => text.startsWith(name))?.[1];
  if (feast === undefined) return undefined;
  const found = pickYear((number) => buildDay(number, ...feast), undefined, today);
  return { first: found, last: found };
}

function readWeekday(weekday: Weekday, from: string): NamedDays {
  const day = findWeekday(weekday, from);
  return { first: day, last: day };
}
