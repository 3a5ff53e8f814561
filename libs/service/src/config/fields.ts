import { z } from 'zod';

// Builders for the fields of a configuration schema. They parse environment strings. A description completes "expected …".

/** A whole number within a range. */
export function wholeNumber(
  what: string,
  range: { min: number; max: number; default: number },
): z.ZodDefault<z.ZodCoercedNumber<string>> {
  return z.coerce
    .number<string>()
    .int()
    .min(range.min)
    .max(range.max)
    .default(range.default)
    .describe(`${what}: a whole number from ${range.min} to ${range.max}`);
}

/** A duration in milliseconds. The maximum is that of a timer, 2^31 - 1. */
export function milliseconds(what: string, byDefault: number, min = 1): z.ZodDefault<z.ZodCoercedNumber<string>> {
  return wholeNumber(`${what}, in milliseconds`, { min, max: 2 ** 31 - 1, default: byDefault });
}

/** A list of values separated by commas. Surrounding whitespace is removed. */
export function list(
  what: string,
  item: z.ZodType<string, string> = z.string(),
): z.ZodType<string[], string | undefined> {
  return z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(item))
    .describe(`${what}, separated by commas`);
}

/** A boolean: `1`, `true`, `yes`, `on` or their opposites. */
export function flag(what: string, byDefault: boolean): z.ZodType<boolean, string | undefined> {
  return z.stringbool().default(byDefault).describe(`${what}: "1" or "0"`);
}

/** A URL with one of the given protocols. */
export function urlOf(what: string, protocols: readonly string[]): z.ZodString {
  return z
    .string()
    .refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
      error: what,
      params: { expected: what },
    })
    .describe(what);
}
