const encoder = new TextEncoder();

/** Encodes a text as UTF-8. Lone surrogates, which UTF-8 cannot represent, become U+FFFD. */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(text.toWellFormed());
}
