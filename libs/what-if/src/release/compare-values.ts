import type { JsonValue } from '@phaseline/basics';

/** A member of an event that differs, by its path. A value that is absent is undefined. */
export interface ValueDifference {
  readonly path: string;
  readonly recorded: unknown;
  readonly decided: unknown;
}

/** Time in milliseconds by which the clocks of a process and of the database may differ, and that a decision may take. */
const CLOCK_TOLERANCE_MS = 60_000;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Lists the members in which two JSON values differ. Times that are as close as two clocks are equal. */
export function compareValues(recorded: unknown, decided: unknown, path = ''): readonly ValueDifference[] {
  if (recorded === decided) return [];
  if (isObject(recorded) && isObject(decided) && Array.isArray(recorded) === Array.isArray(decided)) {
    const names = new Set([...Object.keys(recorded), ...Object.keys(decided)]);
    return [...names].flatMap((name) =>
      compareValues(recorded[name], decided[name], path === '' ? name : `${path}.${name}`),
    );
  }
  if (isSameTime(recorded, decided)) return [];
  return [{ path, recorded, decided }];
}

function isObject(value: unknown): value is Readonly<Record<string, JsonValue | undefined>> {
  return typeof value === 'object' && value !== null;
}

function isSameTime(left: unknown, right: unknown): boolean {
  if (typeof left !== 'string' || typeof right !== 'string' || !ISO_TIME.test(left) || !ISO_TIME.test(right))
    return false;
  return Math.abs(Date.parse(left) - Date.parse(right)) <= CLOCK_TOLERANCE_MS;
}
