/**
 * Estimates the number of tokens as a quarter of the UTF-8 bytes. The estimate is high for German and low for tables of numbers,
 * which is accurate enough for the size of chunks.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
