import { weekdays } from './days.js';
import type { PhraseScanner } from './phrase-scanner.js';

/** Work that the words state, in minutes. */
export interface EffortReading {
  readonly perDay?: number;
  readonly perWeek?: number;
  /** Of one session, if no day or week is named. */
  readonly perSession?: number;
  /** Whether `perSession` was stated as "each", so that without a rhythm it is that of each thing that the goal counts. */
  readonly isEach?: true;
}

const AMOUNT = String.raw`(\d+(?:\.\d+)?)(?: ?(?:-|to) ?(\d+(?:\.\d+)?))?[ -]?(hours?|hrs?|h|minutes?|mins?|min)\b`;
const AMOUNT_LEAD =
  '(?:(?:,? ?and |, ?)?(?:i|we) (?:can |could )?(?:have|spend|spare|invest|give it) )?(?:for |with |of |about |around |at most |up to |only |just |budget |max(?:imum)? )*';
const perPeriod = new RegExp(
  `\\b${AMOUNT_LEAD}${AMOUNT}(?: of [a-z]+)?(?: (?:a|per|each|every|in a|in the|in|on) |\\/ ?| )(day|daily|night|morning|evening|weekday|week|weekly|weekend|month|monthly|session|time|lesson)s?\\b`,
  'i',
);
/** "20 minutes every morning": the rhythm is a phrase of its own. */
const perRepetition = new RegExp(
  `\\b${AMOUNT_LEAD}${AMOUNT}(?: of [a-z]+)?(?= (?:every|each|on) (?:single )?(day|night|morning|afternoon|evening|weekday|workday|week|weekend|month)s?\\b| (daily)\\b)`,
  'i',
);
const ofSession = new RegExp(
  `\\b(?:in )?${AMOUNT}[ -](?:long )?(?:sessions?|lessons?|blocks?|slots?|workouts?)\\b`,
  'i',
);
/** "2 hours on Saturdays": the days are a phrase of their own. */
const onWeekdays = new RegExp(
  `\\b${AMOUNT_LEAD}${AMOUNT}(?= (?:on|every|each|only on)(?: other| second)? (?:${weekdays.map((name) => name.slice(0, 3)).join('|')})[a-z]*\\b)`,
  'i',
);
/** "3 hours each" of sessions; "12 modules, 4 hours each" is a quantity. */
const each = new RegExp(`(?<!\\d (?:[a-z]+ )?[a-z]+s,? (?:of )?)\\b${AMOUNT} each(?: time)?\\b`, 'i');
/** "and 2 hours on Saturday" after another effort. */
const further = new RegExp(
  `,? ?\\b(?:and |or |but )?${AMOUNT_LEAD}${AMOUNT} (?:on|every|each) (?:${weekdays.map((name) => name.slice(0, 3)).join('|')})[a-z]*\\b`,
  'i',
);
/** "45-minute strength training": the activity stays. */
const ofTraining = new RegExp(
  `\\b${AMOUNT}[ -](?=(?:[a-z]+ )?(?:training|class|run|walk|ride|swim|yoga|meditation|practice)\\b)`,
  'i',
);
const alone = new RegExp(`\\b(?:for|of|at least|about|around|takes?|only|just) ${AMOUNT}(?: each(?: time)?)?`, 'i');
const bare = new RegExp(`(?:^|[,;])\\W*(?:about |around )?${AMOUNT}\\W*$`, 'i');
/** Longer than this is a total, such as 100 hours of practice. */
const MAX_SESSION_MINUTES = 12 * 60;
const WEEKS_PER_MONTH = 4.35;

/** Reads the stated effort and takes its phrase. A range counts as its middle. */
export function readEffort(scanner: PhraseScanner): EffortReading {
  const effort = readMainEffort(scanner);
  if (effort.perDay !== undefined || effort.perWeek !== undefined) while (scanner.take(further));
  return effort;
}

function readMainEffort(scanner: PhraseScanner): EffortReading {
  const repeated = scanner.take(perRepetition);
  if (repeated) return toReading(readMinutes(repeated), (repeated[4] ?? repeated[5]!).toLowerCase());
  const stated = scanner.take(perPeriod);
  if (stated) return toReading(readMinutes(stated), stated[4]!.toLowerCase());
  const ofEach = scanner.take(each);
  if (ofEach) return { perSession: readMinutes(ofEach), isEach: true };
  const session = scanner.take(ofSession) ?? scanner.take(ofTraining) ?? scanner.take(onWeekdays);
  if (session) return { perSession: readMinutes(session) };
  const other = scanner.take(alone, (match) => readMinutes(match) <= MAX_SESSION_MINUTES) ?? scanner.take(bare);
  return other ? { perSession: readMinutes(other) } : {};
}

function readMinutes([, least, most, unit]: RegExpExecArray): number {
  const amount = most === undefined ? Number(least) : (Number(least) + Number(most)) / 2;
  return Math.max(1, Math.round(/^h/i.test(unit!) ? 60 * amount : amount));
}

function toReading(minutes: number, period: string): EffortReading {
  // More hours than there are state nothing, so that they are asked for.
  if (minutes > (/^(?:week|month)/.test(period) ? 7 * 24 * 60 : 24 * 60)) return {};
  if (/^(?:day|daily|night|morning|afternoon|evening|weekday|workday)$/.test(period)) return { perDay: minutes };
  if (/^week(?:ly)?$/.test(period)) return { perWeek: minutes };
  if (/^month/.test(period)) return { perWeek: Math.max(1, Math.round(minutes / WEEKS_PER_MONTH)) };
  return period === 'weekend' ? { perWeek: minutes } : { perSession: minutes };
}
