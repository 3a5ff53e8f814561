/**
 * Event data or a folded state of unknown shape. The functions below read it leniently, because the reader may be older or newer than
 * the server: values of an unexpected type are not shown.
 */
export type UntypedData = Readonly<Record<string, unknown>>;

export function readString(data: UntypedData, key: string): string | undefined {
  const value = data[key];
  return typeof value === 'string' ? value : undefined;
}

export function readCount(data: UntypedData, key: string): number | undefined {
  const value = data[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Returns the object under a key, or an empty object. */
export function readObject(data: UntypedData, key: string): UntypedData {
  return asData(data[key]) ?? {};
}

/** Returns the objects in the list under a key. */
export function readList(data: UntypedData, key: string): readonly UntypedData[] {
  const value = data[key];
  return Array.isArray(value) ? value.map(asData).filter((item) => item !== undefined) : [];
}

/** Returns the number of items of any type in the list under a key. */
export function readListLength(data: UntypedData, key: string): number {
  const value = data[key];
  return Array.isArray(value) ? value.length : 0;
}

function asData(value: unknown): UntypedData | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as UntypedData) : undefined;
}
