import { findRate } from '../work-rates.js';
import { weekdays } from './days.js';

type Period = 'day' | 'week' | 'month' | 'year';

/** A quantity of the goal. */
export interface MeasureReading {
  readonly unit: string;
  readonly from: number;
  readonly to: number;
  /** Whether the goal is to reach the quantity by adding up. Otherwise it is only the size of what is made, such as a 400-page book. */
  readonly isCumulative: boolean;
  /** The quantity is one per period, such as 200 euros a month, or of each session, such as 5 km 3 times a week. */
  readonly per?: Period | 'session';
  /** How much of it is done per period until all is done, such as 3 of 40 services per week. */
  readonly pace?: { readonly amount: number; readonly per: Period };
  /** Minutes that one unit takes, if stated. */
  readonly minutesEach?: number;
}

const CURRENCY = 'euros?|eur|dollars?|usd|pounds?|gbp|francs?|chf|yen';
const UNIT = `${CURRENCY}|kilomet(?:er|re)s?|km|miles?|met(?:er|re)s?|kilos?|kilograms?|kg|lbs?|stones?|percent|%|steps`;
/** Verbs before a quantity that adds up. */
const gains =
  `save, run, walk, cycle, ride, swim, row, hike, read, write, lose, collect, earn, raise, log, complete, gain, publish,
  sell, plant, pay off, repay, reach, visit, practi[sc]e, climb, do, finish, learn, memori[sz]e, record, watch, knit,
  donate, drink, cut, reduce, increase, grow, apply to, put aside, set aside, gather, solve, draw, bake, cook, play,
  meditate, listen to, win, attract, get, accumulate, lift, invest, study, translate, film, post, send, meet, call, see,
  try`
    .split(/,\s+/)
    .join('|');
const decreases = /\b(?:lose|cut|reduce|pay off|repay|shed|drop|lower)\b/i;
const NUMBER = String.raw`(\d+(?:\.\d+)?)`;

const symbol = new RegExp(`([€$£])\\s?${NUMBER}`, 'i');
const fromTo = new RegExp(
  `\\bfrom ${NUMBER}(?: ?[a-z%]+)? (?:up |down )?to ${NUMBER} ?([a-z%][a-z -]*?)?(?=$|[.,;!?)]| (?:in|by|within|for|with|and)\\b)`,
  'i',
);
const gained = new RegExp(
  `\\b(${gains}) (?:(?:about|around|at least|another|all|the|some|up to|by|a total of|over|more than|my|weight,?) )*${NUMBER} ?([a-z%][a-z-]*(?: [a-z]+)?)`,
  'i',
);
const known = new RegExp(`${NUMBER} ?(${UNIT})(?!\\w)`, 'i');
const sized = new RegExp(`\\b(?:an?|the|my|our) ${NUMBER}[ -]?([a-z]+)[ -][a-z]+`, 'i');
/** "a novel of 300 pages" */
const sizedOf = new RegExp(
  `\\b(?:an?|the|my|our)(?: [a-z-]+){1,3} (?:of|with) ${NUMBER} (pages?|words|chapters?|lectures?|modules?|lessons?|episodes?|units?)\\b`,
  'i',
);
/** "12 modules, 4 hours each" */
const sizedEach = new RegExp(
  `\\b(\\d+) ([a-z]+s),? (?:of |with |at )?(?:about )?${NUMBER} ?(hours?|h|minutes?|mins?|min) each\\b`,
  'i',
);
/** "until I have 50000 words": the total of what is done bit by bit. */
const total = new RegExp(
  `\\buntil (?:i|we|it) (?:have|has|reach(?:es)?|am at|get to|own) (?:about )?${NUMBER} ?([a-z%]+)`,
  'i',
);
const counted = new RegExp(
  `(?<!\\b(?:for|with|of|in|under|top|grade|level|chapter|at|aged?) )\\b${NUMBER} (?:(?:new|old|different|more|other) )?([a-z]+s)\\b`,
  'i',
);

/** A count from which things add up. Fewer are parts of a project, such as three rooms. */
const MIN_CUMULATIVE_COUNT = 5;
const noUnits =
  /^(?:years?|months?|weeks?|days?|minutes?|mins?|times?|o'clock|am|pm|and|or|to|st|nd|rd|th|per|a|by|in|at|other|hours of|x)$/i;
/** Who takes part, and how long something takes, are no quantities of what is done. */
const noCounts = /^(?:hours|developers|engineers|people|persons|friends|guests|colleagues|members|children|kids)$/i;
const symbols: Readonly<Record<string, string>> = { '€': 'euros', $: 'dollars', '£': 'pounds' };

/**
 * Reads the quantity of a goal whose numbers are digits. `whole` also has the phrases of its rhythm, so that "every month" makes it one per month.
 * `undefined` if the goal states none.
 */
export function readMeasure(text: string, whole: string): MeasureReading | undefined {
  const measure = readQuantity(text);
  if (measure === undefined) return undefined;
  const rate = new RegExp(`\\b${measure.to}(?: ?[a-z€$£%-]+){0,2} (?:a|per|each|every) (day|week|month|year)\\b`, 'i');
  const period = readPeriod(rate.exec(whole)?.[1]);
  if (period === undefined)
    return isOfSession(measure, whole) ? { ...measure, per: 'session' } : withPace(measure, whole);
  const [, amount, unit] = total.exec(whole) ?? [];
  if (amount === undefined || unit!.toLowerCase() !== measure.unit) return { ...measure, per: period };
  return { ...measure, to: Number(amount), pace: { amount: measure.to, per: period } };
}

function readPeriod(word: string | undefined): Period | undefined {
  if (/^(?:morning|evening|night)$/i.test(word ?? '')) return 'day';
  return (['day', 'week', 'month', 'year'] as const).find((period) => period === word?.toLowerCase());
}

/** Work of a session at most, in minutes: a larger quantity is the total. */
const MAX_SESSION_MINUTES = 240;

/** "5 km 3 times a week": the quantity of each time, if it can be done in one session. */
function isOfSession({ unit, to }: MeasureReading, whole: string): boolean {
  const rate = findRate(unit, whole);
  const repeated = new RegExp(
    `\\b${to}(?: ?[a-z-]+){0,2} (?:once|twice|thrice|\\d+ times|\\d+x|(?:every|each|on) (?:${weekdays.map((name) => name.slice(0, 3)).join('|')})[a-z]*)\\b`,
    'i',
  );
  return rate !== undefined && rate * to <= MAX_SESSION_MINUTES && repeated.test(whole);
}

/** "3 per week" and "3 services per week" beside a quantity say how fast it grows. */
function withPace(measure: MeasureReading, whole: string): MeasureReading {
  const { unit, from, to } = measure;
  const noun = unit
    .replace(/[^a-z ]/gi, '.')
    .split(' ')
    .join('|');
  const pattern = new RegExp(
    `\\b(\\d+|one)(?: (?:${noun}))? (?:a|per|each|every) (day|week|month|year|morning|evening|night)\\b`,
    'i',
  );
  const [, count, word] = pattern.exec(whole) ?? [];
  const amount = count === undefined ? 0 : /^one$/i.test(count) ? 1 : Number(count);
  const per = readPeriod(word);
  return per === undefined || amount <= 0 || amount >= to - from ? measure : { ...measure, pace: { amount, per } };
}

function readQuantity(text: string): MeasureReading | undefined {
  const money = symbol.exec(text);
  if (money) return gain(text, symbols[money[1]!]!, Number(money[2]));
  const change = fromTo.exec(text);
  if (change && Number(change[1]) !== Number(change[2])) return readChange(change);
  const verb = gained.exec(text);
  if (verb && !noUnits.test(firstWord(verb[3]!))) return gain(text, trimUnit(verb[3]!), Number(verb[2]));
  const eachUnit = sizedEach.exec(text);
  if (eachUnit) {
    const minutes = Number(eachUnit[3]) * (/^h/i.test(eachUnit[4]!) ? 60 : 1);
    return {
      unit: eachUnit[2]!.toLowerCase(),
      from: 0,
      to: Number(eachUnit[1]),
      isCumulative: true,
      minutesEach: minutes,
    };
  }
  const part = sizedOf.exec(text);
  if (part) return { unit: pluralise(part[2]!), from: 0, to: Number(part[1]), isCumulative: false };
  const size = sized.exec(text);
  if (size && !noUnits.test(size[2]!))
    return { unit: pluralise(size[2]!), from: 0, to: Number(size[1]), isCumulative: false };
  const unit = known.exec(text);
  if (unit && Number(unit[1]) > 0 && !/\b(?:under|below|in) [\d.]+ ?hours?/i.test(text))
    return gain(text, unit[2]!, Number(unit[1]));
  const count = counted.exec(text);
  if (!count || noUnits.test(count[2]!) || noCounts.test(count[2]!) || Number(count[1]) < 2) return undefined;
  return {
    unit: count[2]!.toLowerCase(),
    from: 0,
    to: Number(count[1]),
    isCumulative: Number(count[1]) >= MIN_CUMULATIVE_COUNT,
  };
}

function gain(text: string, unit: string, value: number): MeasureReading | undefined {
  if (value <= 0) return undefined;
  const name = unit.toLowerCase().replace(/^eur$/, 'euros').replace(/^%$/, 'percent');
  const isKnown = new RegExp(`^(?:${UNIT})$`, 'i').test(name);
  const isLoss = decreases.test(text) && !/lost|saved|paid/.test(name);
  return {
    unit: isLoss
      ? `${name} ${/pay off|repay/i.test(text) ? 'paid off' : /lose|shed/i.test(text) ? 'lost' : 'less'}`
      : name,
    from: 0,
    to: value,
    isCumulative: isKnown || value >= MIN_CUMULATIVE_COUNT,
  };
}

/** The targets of a measure rise, so that a decrease is counted as what was lost. */
function readChange([, from, to, noun]: RegExpExecArray): MeasureReading {
  const [first, last] = [Number(from), Number(to)];
  const unit = trimUnit(noun?.trim() || 'points').toLowerCase();
  if (first < last) return { unit, from: first, to: last, isCumulative: true };
  return { unit: `${unit} less`, from: 0, to: Number((first - last).toFixed(6)), isCumulative: true };
}

function firstWord(words: string): string {
  return words.split(' ', 1)[0]!;
}

/** Keeps a second word only if it belongs to the noun: "blog posts", not "words in". */
function trimUnit(words: string): string {
  const [first = '', second] = words.split(' ');
  const isPart =
    second !== undefined &&
    /s$/i.test(second) &&
    (!/s$/i.test(first) || /^[A-Z]{2,}$/.test(first)) &&
    !/^(?:across|this|less|its|is|as|us|plus)$/i.test(second);
  return isPart && !/^(?:km|kg|%)$/i.test(first) ? `${first} ${second}` : first;
}

function pluralise(unit: string): string {
  return /s$|^(?:km|kg)$/i.test(unit) ? unit.toLowerCase() : `${unit.toLowerCase()}s`;
}
