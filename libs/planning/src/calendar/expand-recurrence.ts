import { CodedError } from '@phaseline/basics';
import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import type { Instant } from './instant.js';

/** A rule by RFC 5545 and the first date and time on the wall, such as `FREQ=WEEKLY;BYDAY=MO;COUNT=8` and `2026-03-23T19:00`. */
export interface Recurrence {
  readonly rule: string;
  readonly firstStart: string;
}

/** Maximum number of occurrences: one per day for almost three years. A rule with more is refused, so that a plan stays readable. */
export const MAX_OCCURRENCES = 1000;

/** A rule that cannot be expanded; the message says what to change. */
export class RecurrenceError extends CodedError {
  constructor(
    readonly code: 'recurrence_invalid' | 'recurrence_endless' | 'recurrence_too_long',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const MS_PER_MINUTE = 60_000;

/**
 * Lists the occurrences of a rule in a zone. The time on the wall is kept over changes of the clock; an occurrence whose time the clock skips is
 * left out, and one whose time occurs twice is at the first, both as RFC 5545 says. Throws a RecurrenceError for a rule that never ends (neither
 * COUNT nor UNTIL), cannot be read, has no occurrence, or has more than MAX_OCCURRENCES.
 */
export function expandRecurrence({ rule, firstStart }: Recurrence, zone: string): readonly Instant[] {
  const key = JSON.stringify([rule, firstStart, zone]);
  const known = expanded.get(key);
  if (known) return known;
  const starts = expandRule(rule, firstStart, zone);
  expanded.set(key, starts);
  const [oldest] = expanded.keys();
  if (expanded.size > MAX_KEPT_RULES && oldest !== undefined) expanded.delete(oldest);
  return starts;
}

/** Rules whose occurrences are kept, since a plan is expanded several times and that takes most of the time. At most 8 kB each. */
const MAX_KEPT_RULES = 1000;
const expanded = new Map<string, readonly Instant[]>();

function expandRule(rule: string, firstStart: string, zone: string): readonly Instant[] {
  const text = rule.trim().replace(/^RRULE:/i, '');
  if (!/(^|;)(COUNT|UNTIL)=/i.test(text))
    throw new RecurrenceError('recurrence_endless', `The rule "${text}" never ends. Add COUNT or UNTIL.`);
  const starts = expand(text, firstStart, zone);
  if (starts.length > MAX_OCCURRENCES)
    throw new RecurrenceError(
      'recurrence_too_long',
      `The rule "${text}" has more than ${MAX_OCCURRENCES} occurrences.`,
    );
  if (starts.length === 0) throw new RecurrenceError('recurrence_invalid', `The rule "${text}" has no occurrence.`);
  return starts;
}

function expand(text: string, firstStart: string, zone: string): readonly Instant[] {
  try {
    const dtstart = Temporal.PlainDateTime.from(firstStart).toZonedDateTime(zone);
    const rule = new RRuleTemporal({ rruleString: text, dtstart, temporal: Temporal, strict: true });
    const found = rule.all((_, index) => index <= MAX_OCCURRENCES);
    return found.map(({ epochMilliseconds }) => Math.floor(epochMilliseconds / MS_PER_MINUTE));
  } catch (error) {
    throw new RecurrenceError('recurrence_invalid', `The rule "${text}" cannot be expanded: ${String(error)}`, {
      cause: error,
    });
  }
}
