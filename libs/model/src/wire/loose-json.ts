/** Readers for what a server sent, of which nothing may be taken for granted. */
export type LooseObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): LooseObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as LooseObject) : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text, or the empty one where there is none. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A count of something: a whole number, not negative. */
export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
