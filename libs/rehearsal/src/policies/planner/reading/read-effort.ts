import type { PhraseScanner } from './phrase-scanner.js';

/** Work that the words state, in minutes. */
export interface EffortReading {
  readonly perDay?: number;
  readonly perWeek?: number;
  /** Of one session, if no day or week is named. */
  readonly perSession?: number;
}

const AMOUNT = String.raw`(\d+(?:\.\d+)?)(?: ?(?:-|to) ?(\d+(?:\.\d+)?))?[ -]?(hours?|hrs?|h|minutes?|mins?|min)\b`;
const AMOUNT_LEAD = '(?:for |with |of |about |around |at most |up to |only |just |max(?:imum)? )*';
const perPeriod = new RegExp(
  `\\b${AMOUNT_LEAD}${AMOUNT}(?: of [a-z]+)?(?: (?:a|per|each|every|in a|in the|in|on) |\\/ ?| )(day|daily|night|morning|evening|weekday|week|weekly|weekend|month|monthly|session|time|lesson)\\b`,
  'i',
);
/** "20 minutes every morning": the rhythm is a phrase of its own. */
const perRepetition = new RegExp(
  `\\b${AMOUNT_LEAD}${AMOUNT}(?: of [a-z]+)?(?= (?:every|each) (?:single )?(day|night|morning|afternoon|evening|weekday|week|weekend|month)\\b| (daily|weekly|monthly)\\b)`,
  'i',
);
const ofSession = new RegExp(
  `\\b(?:in )?${AMOUNT}[ -](?:long )?(?:sessions?|lessons?|blocks?|slots?|workouts?)\\b`,
  'i',
);
const alone = new RegExp(`\\b(?:for|of|at least|about|around|takes?|only|just) ${AMOUNT}(?: each(?: time)?)?`, 'i');
const bare = new RegExp(`(?:^|[,;])\\W*(?:about |around )?${AMOUNT}\\W*$`, 'i');
/** Longer than this is a total, such as 100 hours of practice. */
const MAX_SESSION_MINUTES = 12 * 60;
const WEEKS_PER_MONTH = 4.35;

/** Reads the stated effort and takes its phrase. A range counts as its middle. */
export function readEffort(scanner: PhraseScanner): EffortReading {
  const repeated = scanner.take(perRepetition);
  if (repeated) return toReading(readMinutes(repeated), (repeated[4] ?? repeated[5]!).toLowerCase());
  const stated = scanner.take(perPeriod);
  if (stated) return toReading(readMinutes(stated), stated[4]!.toLowerCase());
  const session = scanner.take(ofSession);
  if (session) return { perSession: readMinutes(session) };
  const other = scanner.take(alone, (match) => readMinutes(match) <= MAX_SESSION_MINUTES) ?? scanner.take(bare);
  return other ? { perSession: readMinutes(other) } : {};
}

function readMinutes([, least, most, unit]: RegExpExecArray): number {
  const amount = most === undefined ? Number(least) : (Number(least) + Number(most)) / 2;
  return Math.max(1, Math.round(/^h/i.test(unit!) ? 60 * amount : amount));
}

function toReading(minutes: number, period: string): EffortReading {
  if (/^(?:day|daily|night|morning|afternoon|evening|weekday)$/.test(period))
    return { perDay: Math.min(24 * 60, minutes) };
  if (/^week(?:ly)?$/.test(period)) return { perWeek: minutes };
  if (/^month/.test(period)) return { perWeek: Math.max(1, Math.round(minutes / WEEKS_PER_MONTH)) };
  return period === 'weekend' ? { perWeek: minutes } : { perSession: minutes };
}
