/**
 * Creates an empty record of values by id. It has no prototype, so V8 keeps it as a table. For an ordinary object V8 would create a hidden
 * class for each new id, which took a tenth of the time of a fold.
 */
export function createIdRecord<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}

/** Returns a copy of a record with one value added or replaced. */
export function withValue<Value>(
  record: Readonly<Record<string, Value>>,
  id: string,
  value: Value,
): Record<string, Value> {
  const copy = Object.assign(createIdRecord<Value>(), record);
  copy[id] = value;
  return copy;
}
