/** A JSON object from a server, none of whose members can be relied on. */
export type LooseObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): LooseObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as LooseObject) : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the text, or an empty text if the value is not a string. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the value if it is a non-negative integer. */
export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
