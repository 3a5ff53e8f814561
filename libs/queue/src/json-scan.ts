/** Limits that JSON text must keep before anybody parses it. */
export interface JsonBounds {
  readonly bytes: number;
  /** Members of objects and items of lists, at all depths together. */
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
 * Counts what JSON text holds while it arrives, without parsing it: parsing and every check behind it cost time per value, so a
 * text with too many of them is refused first. It does not check the syntax; the parser does.
 */
export class JsonScan {
  #bytes = 0;
  #values = 0;
  #depth = 0;
  #inText = false;
  #escaped = false;
  #excess: JsonExcess | undefined;

  constructor(private readonly bounds: JsonBounds) {}

  /** The first limit that was passed; undefined as long as all hold. */
  get excess(): JsonExcess | undefined {
    return this.#excess;
  }

  /** Takes the next bytes, in UTF-8. */
  add(chunk: Uint8Array): void {
    if (this.#excess !== undefined) return;
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.bounds.bytes) {
      this.#excess = 'bytes';
      return;
    }
    const { values: maxValues, depth: maxDepth } = this.bounds;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.#escaped) this.#escaped = false;
      else if (byte === QUOTE) this.#inText = !this.#inText;
      else if (this.#inText) this.#escaped = byte === BACKSLASH;
      else if (byte === COMMA) this.#values += 1;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        this.#values += 1;
        this.#depth += 1;
        if (this.#depth > maxDepth) this.#excess = 'depth';
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#depth -= 1;
      else continue;
      if (this.#values > maxValues) this.#excess = 'values';
      if (this.#excess !== undefined) return;
    }
  }
}

const SLICE = 64 * 1024;

/** The first limit that a text passes; undefined where it keeps all of them. */
export function excessOf(text: string, bounds: JsonBounds): JsonExcess | undefined {
  // A character takes at least one byte.
  if (text.length > bounds.bytes) return 'bytes';
  const scan = new JsonScan(bounds);
  for (let at = 0; at < text.length && scan.excess === undefined; at += SLICE)
    scan.add(Buffer.from(text.slice(at, at + SLICE)));
  return scan.excess;
}

/** What to say of an excess, for people. */
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
