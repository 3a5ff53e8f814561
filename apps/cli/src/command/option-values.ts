import { InvalidArgumentError } from 'commander';

/** Parsers of option values. Each throws InvalidArgumentError; commander prepends the option's name to the message. */

export function parsePosition(text: string): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (value < 0) throw new InvalidArgumentError('Expected a position in the log: a whole number from 0.');
  return value;
}

export function createWholeNumberParser(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
    if (value < min || value > max) throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
    return value;
  };
}

/** Creates a parser for numbers in a range, both ends included. */
export function createNumberParser(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a number from ${min} to ${max}.`);
  };
}

export function parseDollars(text: string): number {
  const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (value <= 0) throw new InvalidArgumentError('Expected an amount in US dollars above 0, such as 2.50.');
  return value;
}

/** Collects the values of a repeatable option. */
export function collectValue(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Collects the values of a repeatable option that also accepts `A,B`. */
export function collectList(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').filter((item) => item !== '')];
}

/** Like `collectList`, for values that must be among `known`. */
export function createChoiceCollector<Choice extends string>(
  known: readonly Choice[],
): (text: string, before?: readonly Choice[]) => readonly Choice[] {
  return (text, before = []) => {
    const chosen = text.split(',').filter((item) => item !== '');
    const unknown = chosen.find((item) => !(known as readonly string[]).includes(item));
    if (unknown !== undefined) throw new InvalidArgumentError(`Expected one of ${known.join(', ')}.`);
    return [...before, ...(chosen as Choice[])];
  };
}

/** Collects `key=value` pairs. */
export function collectLabel(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  const key = text.slice(0, at);
  if (at < 1) throw new InvalidArgumentError('Expected KEY=VALUE.');
  if (key in before) throw new InvalidArgumentError(`The label "${key}" is given twice.`);
  return { ...before, [key]: text.slice(at + 1) };
}

const HOUR_MS = 60 * 60_000;

/** Parses `30d`, `12h` or a date into an ISO time. */
export function parseExpiry(text: string): string {
  const [, count, unit] = /^([1-9]\d{0,4})([dh])$/.exec(text) ?? [];
  const isDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const at =
    count === undefined
      ? isDate
        ? Date.parse(text)
        : NaN
      : Date.now() + Number(count) * (unit === 'd' ? 24 : 1) * HOUR_MS;
  if (Number.isNaN(at))
    throw new InvalidArgumentError(
      'Expected days or hours from now, such as 30d or 12h, or a date such as 2030-12-31.',
    );
  return new Date(at).toISOString();
}

/** Parses the prefix of a key. A whole key is shortened, so that its secret part is not sent. */
export function parseKeyPrefix(text: string): string {
  const [, prefix] = /^(?:plk_)?([0-9a-f]{8})(?:_[A-Za-z0-9_-]*)?$/.exec(text) ?? [];
  if (prefix === undefined) throw new InvalidArgumentError('Expected the 8 hexadecimal digits after plk_.');
  return prefix;
}

const durationUnits: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: HOUR_MS };

/** Parses `90s`, `30m` or `1h` into milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([smh])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Expected a duration such as 90s, 30m or 1h.');
  return Number(count) * durationUnits[unit]!;
}

const DAY_MS = 24 * HOUR_MS;

/** Parses `90s`, `30m`, `2h` or `3d` into milliseconds. */
export function parseAge(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Expected a duration such as 90s, 30m, 2h or 3d.');
  return Number(count) * (unit === 'd' ? DAY_MS : durationUnits[unit]!);
}

/** Parses a time in the past into an ISO time: `2h` is two hours ago, `2030-12-31` the beginning of that day in UTC. */
export function parsePast(text: string): string {
  const isDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const isAge = /^[1-9]\d{0,5}[smhd]$/.test(text);
  const at = isAge ? Date.now() - parseAge(text) : isDate ? Date.parse(text) : NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError('Expected a duration such as 90s, 2h or 7d, or a date such as 2030-12-31.');
  return new Date(at).toISOString();
}

/** Parses an amount in US dollars, which may be 0. */
export function parseAmount(text: string): number {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text))
    throw new InvalidArgumentError('Expected an amount in US dollars, such as 2.50.');
  return Number(text);
}
