import { isTimeZone } from '@phaseline/basics';
import { addDays, countDays } from './days.js';
import type { PhraseScanner } from './phrase-scanner.js';
import { NAMED_DAYS, readNamedDays } from './read-day.js';

/** What the words say about the circumstances of the work. */
export interface CircumstancesReading {
  /** IANA name, such as Europe/Berlin. */
  readonly zone?: string;
  /** Days without work. */
  readonly closedDays: readonly string[];
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
  for (let match = takeAbsence(scanner, today); match !== undefined; match = takeAbsence(scanner, today))
    closedDays.push(...match);
  const loading = scanner.take(early) ? 'front_loaded' : scanner.take(late) ? 'back_loaded' : undefined;
  const buffer = scanner.take(stated);
  const mayOverlap = scanner.take(overlap) !== undefined;
  const share = buffer && (buffer[1] === undefined ? DEFAULT_BUFFER : Number(buffer[1]) / 100);
  return {
    closedDays: [...new Set(closedDays)].toSorted(),
    ...(zone !== undefined && { zone }),
    ...(loading && { loading }),
    ...(share !== undefined && { bufferShare: share }),
    ...(mayOverlap && { mayOverlap }),
  };
}

function takeAbsence(scanner: PhraseScanner, today: string): readonly string[] | undefined {
  const match = scanner.take(away, ([, first]) => readNamedDays(first!, today) !== undefined);
  if (match === undefined) return undefined;
  const first = readNamedDays(match[1]!, today)!;
  const last = match[2] === undefined ? first.last : (readNamedDays(match[2], first.first)?.last ?? first.last);
  const count = Math.min(MAX_CLOSED_DAYS, Math.max(1, countDays(first.first, last)));
  return Array.from({ length: count }, (_, index) => addDays(first.first, index));
}
