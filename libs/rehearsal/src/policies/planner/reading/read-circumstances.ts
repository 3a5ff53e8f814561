import { isTimeZone } from '@phaseline/basics';
import { addDays, countDays, type Weekday } from './days.js';
import type { PhraseScanner } from './phrase-scanner.js';
import { NAMED_DAYS, readNamedDays } from './read-day.js';
import { DAYS, parseWeekdays } from './read-rhythm.js';

/** What the words say about the circumstances of the work. */
export interface CircumstancesReading {
  /** IANA name, such as Europe/Berlin. */
  readonly zone?: string;
  /** Days without work. */
  readonly closedDays: readonly string[];
  /** Weekdays without work. */
  readonly closedWeekdays?: readonly Weekday[];
  readonly loading?: 'even' | 'front_loaded' | 'back_loaded';
  /** Share of the capacity that stays free. */
  readonly bufferShare?: number;
  /** Whether a phase may begin before the one before it has ended. */
  readonly mayOverlap?: true;
}

const zonePhrase = /(?:\bin )?\b([A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?)(?: time)?\b/;
const away = new RegExp(
  `\\b(?:but )?(?:i am |i'm |we are |we're )?(?:away|on (?:holiday|vacation|leave)|unavailable|not available|no work|except)(?: from| on| between)? ${NAMED_DAYS}(?: (?:to|until|till|and|-|through) ${NAMED_DAYS})?`,
  'i',
);
const NEVER =
  "(?:no (?:free )?time|never|not|no (?:work|sessions?|training)|nothing|except|(?:can't|cannot|can not|don't|do not)(?: (?:work|train|do (?:it|anything|this)|have (?:any )?time))?)";
const noWeekdays = new RegExp(
  `,? ?\\b(?:and |but )?(?:(?:i|we)(?: have|'ve got)? )?${NEVER}(?: any more)?(?: on| at) (${DAYS}|weekends?)\\b|,? ?\\bexcept (?:on )?(${DAYS}(?<=s)|weekends)\\b`,
  'i',
);
const onWeekdaysNever = new RegExp(
  `\\b(?:on )?(${DAYS}|weekends?),? (?:(?:i|we)(?: have|'ve got)? |(?:is|are) )?(?:no time|not possible|impossible|can't|cannot|don't work|do not work)\\b`,
  'i',
);
const early = /\b(?:front[- ]?load(?:ed)?|as early as possible|most of it early|start strong)\b/i;
const late = /\b(?:back[- ]?load(?:ed)?|as late as possible|most of it late|start slowly|ease into it)\b/i;
const stated = /\bwith (?:a |some )?(?:(\d{1,2}) ?(?:%|percent) )?(?:buffer|slack)\b/i;
const overlap =
  /\b(?:with )?(?:the |its )?(?:overlapping (?:phases|stages|parts)|(?:phases|stages|parts) (?:may|can|should) (?:overlap|run (?:side by side|in parallel)))\b/i;
const DEFAULT_BUFFER = 0.2;
/** A longer absence is another plan. */
const MAX_CLOSED_DAYS = 90;

/** Reads zone, absences and how the work is spread, and takes the phrases. */
export function readCircumstances(scanner: PhraseScanner, today: string): CircumstancesReading {
  const zone = scanner.take(zonePhrase, ([, name]) => isTimeZone(name!))?.[1];
  const closedDays: string[] = [];
  const closedWeekdays = takeClosedWeekdays(scanner);
  for (let match = takeAbsence(scanner, today); match !== undefined; match = takeAbsence(scanner, today))
    closedDays.push(...match);
  const loading = scanner.take(early) ? 'front_loaded' : scanner.take(late) ? 'back_loaded' : undefined;
  const buffer = scanner.take(stated);
  const mayOverlap = scanner.take(overlap) !== undefined;
  const share = buffer && (buffer[1] === undefined ? DEFAULT_BUFFER : Number(buffer[1]) / 100);
  return {
    closedDays: [...new Set(closedDays)].toSorted(),
    ...(closedWeekdays.length > 0 && { closedWeekdays }),
    ...(zone !== undefined && { zone }),
    ...(loading && { loading }),
    ...(share !== undefined && { bufferShare: share }),
    ...(mayOverlap && { mayOverlap }),
  };
}

function takeClosedWeekdays(scanner: PhraseScanner): readonly Weekday[] {
  const found: Weekday[] = [];
  const take = () => scanner.take(noWeekdays) ?? scanner.take(onWeekdaysNever);
  for (let match = take(); match !== undefined; match = take()) {
    const words = match[1] ?? match[2]!;
    found.push(...(/^weekends?$/i.test(words) ? (['saturday', 'sunday'] as const) : parseWeekdays(words)));
  }
  return [...new Set(found)];
}

function takeAbsence(scanner: PhraseScanner, today: string): readonly string[] | undefined {
  const match = scanner.take(away, ([, first]) => readNamedDays(first!, today) !== undefined);
  if (match === undefined) return undefined;
  const first = readNamedDays(match[1]!, today)!;
  const last = match[2] === undefined ? first.last : (readNamedDays(match[2], first.first)?.last ?? first.last);
  const count = Math.min(MAX_CLOSED_DAYS, Math.max(1, countDays(first.first, last)));
  return Array.from({ length: count }, (_, index) => addDays(first.first, index));
}
