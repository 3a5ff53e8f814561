/** Turns texts into vectors whose angle says how alike the texts are. */
export interface Embedder {
  /** Names what the vectors can be compared with: the embedder, its version and its model. Stored. */
  readonly space: string;
  /** Said to the model with every result, so that it knows what a score is worth. */
  readonly note: string;
  /** One vector of length 1 for each text, in order. Throws ToolError when the embedder cannot be had. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}

/** A vector of length 1 in the same direction; one of zeros stays as it is. */
export function unit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}
