import { z } from 'zod';

/** Parses a whole number in a query string. Accepts only digits, because `Number('')` is 0 and `Number('1e3')` is 1000. */
export function queryInteger(bounds: { readonly min: number; readonly max: number }) {
  const schema = z.int().min(bounds.min).max(bounds.max);
  // The metadata describes the input for OpenAPI, which the preprocess step hides.
  return z
    .preprocess((value) => (typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value), schema)
    .meta({ type: 'integer', minimum: bounds.min, maximum: bounds.max });
}

/** Parses a position in the event log. */
export function queryPosition() {
  return queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER });
}

/** Parses a list in a query string. `?types=A,B` and `?types=A&types=B` are equivalent. */
export function queryList<Item extends z.ZodType>(item: Item, max: number) {
  return z.preprocess(split, z.array(item).max(max)).meta({ type: 'array', items: { type: 'string' } });
}

function split(value: unknown): unknown {
  const texts = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(texts)) return value;
  return texts.flatMap((text: unknown) =>
    typeof text === 'string' ? text.split(',').filter((part) => part !== '') : [text],
  );
}
