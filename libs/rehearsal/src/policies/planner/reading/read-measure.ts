/** A quantity of the goal. */
export interface MeasureReading {
  readonly unit: string;
  readonly from: number;
  readonly to: number;
  /** Whether the goal is to reach the quantity by adding up. Otherwise it is only the size of what is made, such as a 400-page book. */
  readonly isCumulative: boolean;
  /** The quantity is one per period, such as 200 euros a month. */
  readonly per?: 'day' | 'week' | 'month' | 'year';
}

const CURRENCY = 'euros?|eur|dollars?|usd|pounds?|gbp|francs?|chf|yen';
const UNIT = `${CURRENCY}|kilomet(?:er|re)s?|km|miles?|met(?:er|re)s?|kilos?|kilograms?|kg|lbs?|stones?|percent|%|hours?|steps`;
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
const known = new RegExp(`${NUMBER} ?(${UNIT})\\b`, 'i');
const sized = new RegExp(`\\b(?:an?|the|my|our) ${NUMBER}[ -]?([a-z]+)[ -][a-z]+`, 'i');
const counted = new RegExp(
  `(?<!\\b(?:for|with|of|in|under|top|grade|level|chapter|at|aged?) )\\b${NUMBER} ([a-z]+s)\\b`,
  'i',
);

/** A count from which things add up. Fewer are parts of a project, such as three rooms. */
const MIN_CUMULATIVE_COUNT = 5;
const noUnits =
  /^(?:years?|months?|weeks?|days?|minutes?|mins?|times?|o'clock|am|pm|and|or|to|st|nd|rd|th|per|a|by|in|at|other|hours of|x)$/i;
const symbols: Readonly<Record<string, string>> = { '€': 'euros', $: 'dollars', '£': 'pounds' };

/**
 * Reads the quantity of a goal whose numbers are digits. `whole` also has the phrases of its rhythm, so that "every month" makes it one per month.
 * `undefined` if the goal states none.
 */
export function readMeasure(text: string, whole: string): MeasureReading | undefined {
  const measure = readQuantity(text);
  if (measure === undefined) return undefined;
  const rate = new RegExp(`\\b${measure.to}(?: ?[a-z€$£%]+){0,2} (?:a|per|each|every) (day|week|month|year)\\b`, 'i');
  const [, period] = rate.exec(whole) ?? [];
  return period === undefined
    ? measure
    : { ...measure, per: period.toLowerCase() as NonNullable<MeasureReading['per']> };
}

function readQuantity(text: string): MeasureReading | undefined {
  const money = symbol.exec(text);
  if (money) return gain(text, symbols[money[1]!]!, Number(money[2]));
  const change = fromTo.exec(text);
  if (change && Number(change[1]) !== Number(change[2])) return readChange(change);
  const verb = gained.exec(text);
  if (verb && !noUnits.test(firstWord(verb[3]!))) return gain(text, trimUnit(verb[3]!), Number(verb[2]));
  const size = sized.exec(text);
  if (size && !noUnits.test(size[2]!))
    return { unit: pluralise(size[2]!), from: 0, to: Number(size[1]), isCumulative: false };
  const unit = known.exec(text);
  if (unit && Number(unit[1]) > 0 && !/\b(?:under|below|in) [\d.]+ ?hours?/i.test(text))
    return gain(text, unit[2]!, Number(unit[1]));
  const count = counted.exec(text);
  if (!count || noUnits.test(count[2]!) || Number(count[1]) < 2) return undefined;
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
    !/s$/i.test(first) &&
    !/^(?:across|this|less|its|is|as|us|plus)$/i.test(second);
  return isPart && !/^(?:km|kg|%)$/i.test(first) ? `${first} ${second}` : first;
}

function pluralise(unit: string): string {
  return /s$|^(?:km|kg)$/i.test(unit) ? unit.toLowerCase() : `${unit.toLowerCase()}s`;
}
