import { z } from 'zod';

/** Fields of a config schema, each with a description that completes "expected …". All of them read environment strings. */

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
    .describe(`${what}: a whole number from ${range.min} to ${range.max}`) as never;
}

/** A duration in milliseconds; a timer cannot wait longer than 2^31 of them. */
export function milliseconds(what: string, byDefault: number, min = 1): z.ZodDefault<z.ZodCoercedNumber<string>> {
  return wholeNumber(`${what}, in milliseconds`, { min, max: 2 ** 31 - 1, default: byDefault });
}

/** Values with commas between them; blanks around them are dropped. */
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
    .describe(`${what}, with commas between them`);
}

/** `1`, `true`, `yes`, `on` or their opposites. */
export function flag(what: string, byDefault: boolean): z.ZodType<boolean, string | undefined> {
  return z.stringbool().default(byDefault).describe(`${what}: "1" or "0"`);
}

export function urlOf(what: string, protocols: readonly string[]): z.ZodString {
  return z
    .string()
    .refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
      error: what,
      params: { expected: what },
    })
    .describe(what);
}
