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
