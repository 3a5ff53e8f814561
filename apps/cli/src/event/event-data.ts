/**
 * Reads values out of event data and folded states without insisting on their shape: the CLI may be older or newer than the
 * server, and what it cannot read it does not show.
 */
export type Data = Readonly<Record<string, unknown>>;

export function text(data: Data, key: string): string | undefined {
  const value = data[key];
  return typeof value === 'string' ? value : undefined;
}

export function count(data: Data, key: string): number | undefined {
  const value = data[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** An object under a key; an empty one where there is none. */
export function part(data: Data, key: string): Data {
  return asData(data[key]) ?? {};
}

/** The objects of a list under a key. */
export function list(data: Data, key: string): readonly Data[] {
  const value = data[key];
  return Array.isArray(value) ? value.map(asData).filter((item) => item !== undefined) : [];
}

/** How many items a list under a key has, whatever they are. */
export function listLength(data: Data, key: string): number {
  const value = data[key];
  return Array.isArray(value) ? value.length : 0;
}

function asData(value: unknown): Data | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : undefined;
}
