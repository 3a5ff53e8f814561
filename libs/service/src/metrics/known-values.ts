const OTHER_VALUE = '(other)';

/**
 * Bounds the values of a label whose names come from configuration, such as profiles of models: each value is a series that lives as long
 * as the process. After `max` different values, further ones become `(other)`.
 */
export class KnownValues {
  private readonly known = new Set<string>();

  constructor(private readonly max: number) {}

  /** Returns the value, or `(other)` if it is new and there are too many. */
  bound(value: string): string {
    if (this.known.has(value)) return value;
    if (this.known.size >= this.max) return OTHER_VALUE;
    this.known.add(value);
    return value;
  }
}
