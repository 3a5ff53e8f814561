import { buildSecretPattern } from './secret-pattern.js';

/** Minimum length of a value that is masked, in characters. A shorter value would match in ordinary text. */
const MIN_SECRET_CHARACTERS = 6;

/** Maximum number of bytes that a match in base64 contains behind the value itself. */
const PADDING_BYTES = 3;

/** Minimum number of characters of a value that are masked when a stream ends in the middle of it. */
const MIN_CUT_CHARACTERS = 4;

interface MaskedSecret {
  readonly name: string;
  readonly pattern: RegExp;
  /** Length of the longest match in bytes. */
  readonly maxBytes: number;
  /** UTF-8 bytes of the value, one character per byte. */
  readonly bytes: string;
}

/**
 * Replaces the values of secrets by their names in brackets, also where they are encoded: escaped for JSON, HTML or URLs, in base64 at any
 * offset, or in hexadecimal digits. A value that was encrypted, compressed, reversed or printed in parts is not recognised.
 */
export class SecretMask {
  private readonly secrets: readonly MaskedSecret[];

  /** Secrets by name. Values of fewer than 6 characters are ignored. `describe` returns what replaces a value; default: its name in brackets. */
  constructor(
    values: Readonly<Record<string, string>>,
    private readonly describe = (name: string): string => `[${name}]`,
  ) {
    this.secrets = Object.entries(values)
      .filter(([, value]) => value.length >= MIN_SECRET_CHARACTERS)
      // A value may contain another one, so longer ones are replaced first.
      .sort(([, a], [, b]) => b.length - a.length)
      .map(([name, value]) => ({ name, ...buildSecretPattern(value), bytes: toBytes(value) }));
  }

  /** True if there is nothing to mask. */
  get isEmpty(): boolean {
    return this.secrets.length === 0;
  }

  maskText(text: string): string {
    if (this.isEmpty) return text;
    const bytes = toBytes(text);
    const masked = this.replaceAll(bytes);
    return masked === bytes ? text : Buffer.from(masked, 'latin1').toString('utf8');
  }

  /** Returns the same object if it contains no secret. */
  maskBytes(content: Uint8Array): Uint8Array {
    if (this.isEmpty) return content;
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1');
    const masked = this.replaceAll(bytes);
    return masked === bytes ? content : Buffer.from(masked, 'latin1');
  }

  /** Masks every text in a JSON value, also the names of members. */
  maskJson<Value>(value: Value): Value {
    return this.isEmpty ? value : (this.maskMember(value) as Value);
  }

  /** Returns how much of the beginning of incomplete content can be masked without splitting a value. One character per byte. */
  findSafeEnd(bytes: string): number {
    let end = Math.max(0, bytes.length - Math.max(0, ...this.secrets.map(({ maxBytes }) => maxBytes - 1)));
    for (const { pattern } of this.secrets)
      for (const { index, 0: match } of bytes.matchAll(pattern)) {
        const matchEnd = index + match.length;
        // Padding of base64 that belongs to a match may be missing yet.
        if (index < end && matchEnd > end) end = matchEnd > bytes.length - PADDING_BYTES ? index : matchEnd;
      }
    return end;
  }

  /** Masks text of one character per byte. */
  replaceAll(bytes: string): string {
    let masked = bytes;
    for (const { name, pattern } of this.secrets) masked = masked.replace(pattern, () => toBytes(this.describe(name)));
    return masked;
  }

  /** Masks the beginning of a value at the end of text that is cut there. */
  maskCutEnd(bytes: string): string {
    for (const { name, bytes: value } of this.secrets)
      for (let length = Math.min(value.length - 1, bytes.length); length >= MIN_CUT_CHARACTERS; length -= 1)
        if (bytes.endsWith(value.slice(0, length))) return `${bytes.slice(0, -length)}${toBytes(this.describe(name))}`;
    return bytes;
  }

  private maskMember(value: unknown): unknown {
    if (typeof value === 'string') return this.maskText(value);
    if (Array.isArray(value)) return value.map((item) => this.maskMember(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [this.maskText(name), this.maskMember(member)]),
    );
  }
}

function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
