/**
 * Event data or a folded state of unknown shape. The functions below read it leniently, because the CLI may be older or newer than
 * the server: values of an unexpected type are not shown.
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

/** Returns the object under a key, or an empty object. */
export function part(data: Data, key: string): Data {
  return asData(data[key]) ?? {};
}

/** Returns the objects in the list under a key. */
export function list(data: Data, key: string): readonly Data[] {
  const value = data[key];
  return Array.isArray(value) ? value.map(asData).filter((item) => item !== undefined) : [];
}

/** Returns the number of items of any type in the list under a key. */
export function listLength(data: Data, key: string): number {
  const value = data[key];
  return Array.isArray(value) ? value.length : 0;
}

function asData(value: unknown): Data | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : undefined;
}
