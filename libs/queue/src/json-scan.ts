/** Limits on JSON text, checked before it is parsed. */
export interface JsonBounds {
  readonly bytes: number;
  /** Total number of object members and array elements, at all depths. */
  readonly values: number;
  readonly depth: number;
}

export type JsonExcess = 'bytes' | 'values' | 'depth';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Counts the bytes, values and nesting depth of JSON text while it arrives, without parsing it. Parsing and validation cost time per
 * value, so text with too many values is rejected first. Does not check the syntax; the parser does.
 */
export class JsonScan {
  private bytes = 0;
  private values = 0;
  private depth = 0;
  private inString = false;
  private escaped = false;
  private foundExcess: JsonExcess | undefined;

  constructor(private readonly bounds: JsonBounds) {}

  /** The first limit that was exceeded; undefined if none was. */
  get excess(): JsonExcess | undefined {
    return this.foundExcess;
  }

  /** Scans the next bytes of the UTF-8 text. */
  add(chunk: Uint8Array): void {
    if (this.foundExcess !== undefined) return;
    this.bytes += chunk.byteLength;
    if (this.bytes > this.bounds.bytes) {
      this.foundExcess = 'bytes';
      return;
    }
    const { values: maxValues, depth: maxDepth } = this.bounds;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.escaped) this.escaped = false;
      else if (byte === QUOTE) this.inString = !this.inString;
      else if (this.inString) this.escaped = byte === BACKSLASH;
      else if (byte === COMMA) this.values += 1;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        this.values += 1;
        this.depth += 1;
        if (this.depth > maxDepth) this.foundExcess = 'depth';
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.depth -= 1;
      else continue;
      if (this.values > maxValues) this.foundExcess = 'values';
      if (this.foundExcess !== undefined) return;
    }
  }
}

const SLICE_LENGTH = 64 * 1024;

/** Returns the first limit that a text exceeds; undefined if it exceeds none. */
export function findExcess(text: string, bounds: JsonBounds): JsonExcess | undefined {
  // A character takes at least one byte.
  if (text.length > bounds.bytes) return 'bytes';
  const scan = new JsonScan(bounds);
  for (let at = 0; at < text.length && scan.excess === undefined; at += SLICE_LENGTH)
    scan.add(Buffer.from(text.slice(at, at + SLICE_LENGTH)));
  return scan.excess;
}

/** Describes an exceeded limit for people. */
export function describeExcess(excess: JsonExcess, { bytes, values, depth }: JsonBounds): string {
  switch (excess) {
    case 'bytes':
      return `it is larger than ${bytes.toLocaleString('en')} bytes`;
    case 'values':
      return `it holds more than ${values.toLocaleString('en')} values (members of objects and items of lists)`;
    case 'depth':
      return `it is nested deeper than ${depth} levels`;
  }
}
