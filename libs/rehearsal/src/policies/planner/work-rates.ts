/** A quantity of work. */
interface WorkQuantity {
  readonly unit: string;
  readonly from: number;
  readonly to: number;
  /** Minutes that one unit takes, if stated. */
  readonly minutesEach?: number;
}

/** Minutes of work per unit, by the verb of the goal if it matters. Rough means, so that plans that miss them by less than half are made to fit. */
const rates: readonly (readonly [unit: RegExp, minutes: number, verb?: RegExp])[] = [
  [/^pages?/, 30, /\b(?:write|draft|author|compose)\b/i],
  [/^pages?/, 20, /\b(?:translate|illustrate|design)\b/i],
  [/^pages?/, 6, /\b(?:edit|proofread|revise|review|correct)\b/i],
  [/^pages?/, 2.5],
  [/^words?/, 2, /\b(?:learn|memori[sz]e|study|vocabulary)\b/i],
  [/^words?/, 0.06],
  [/^books?/, 300, /\b(?:read|listen|finish)\b/i],
  [/^books?/, 12_000],
  [/^chapters?/, 600, /\b(?:write|draft)\b/i],
  [/^chapters?/, 45],
  [/^(?:km|kilomet(?:er|re)s?)/, 3, /\b(?:cycle|ride|bike|cycling)\b/i],
  [/^(?:km|kilomet(?:er|re)s?)/, 12, /\b(?:walk|hike|hiking|walking)\b/i],
  [/^(?:km|kilomet(?:er|re)s?)/, 25, /\b(?:swim|swimming)\b/i],
  [/^(?:km|kilomet(?:er|re)s?)/, 6],
  [/^miles?/, 10],
  [/^(?:hours?)/, 60],
  [/^(?:push-ups|sit-ups|pull-ups|squats|burpees|reps)/, 0.1],
  [/(?:^|\s)(?:states|capitals|countries|facts|verbs|characters|kanji|names)$/, 5, /\b(?:learn|memori[sz]e|study)\b/i],
  [/^steps/, 0.01],
  [/^(?:kg|kilos?|kilograms?|lbs?|pounds? lost|stones?)/, 240],
  [/^(?:articles?|blog posts?|posts?|essays?|reports?)/, 180],
  [/^(?:lectures?|lessons?|classes|modules|units|sessions?|workouts?|episodes?)/, 50],
  [/^(?:rooms?|walls?)/, 480],
  [
    /^(?:songs?|paintings?|drawings?|poems?|stories|recipes?|museums?|cities|interviews?|applications?|jobs|customers?|clients?)/,
    90,
  ],
  [/^(?:exercises?|problems?|questions?|videos?|letters?|photos?|flashcards?)/, 15],
];
/** Money and shares are not made by the minute: each target is an appointment to check them. */
const uncounted = /^(?:euros?|dollars?|pounds?|francs?|chf|gbp|usd|yen|percent|points)/;
const DEFAULT_MINUTES = 30;
/** Large numbers of unknown units are small things. */
const MANY_UNITS = 100;
const SMALL_UNIT_MINUTES = 2;

/** Minutes per unit, if they are known. */
export function findRate(unit: string, text: string): number | undefined {
  return rates.find(([name, , verb]) => name.test(unit) && (verb === undefined || verb.test(text)))?.[1];
}

/** Returns the minutes of work that a quantity takes; `undefined` if work does not follow from it, as for money. */
export function estimateQuantity({ unit, from, to, minutesEach }: WorkQuantity, text: string): number | undefined {
  if (uncounted.test(unit)) return undefined;
  const rate = minutesEach ?? findRate(unit, text);
  const amount = to - from;
  return Math.ceil(amount * (rate ?? (amount > MANY_UNITS ? SMALL_UNIT_MINUTES : DEFAULT_MINUTES)));
}
