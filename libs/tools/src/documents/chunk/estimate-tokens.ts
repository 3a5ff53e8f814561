/**
 * A rough count of tokens without a tokenizer: a quarter of the UTF-8 bytes. It errs on the high side for German and on
 * the low side for tables of numbers, which is close enough to size chunks.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
