/** Converts texts into vectors. The angle between two vectors measures how similar their texts are. */
export interface Embedder {
  /** Name of the vector space: embedder, version and model. Only vectors of the same space are comparable. Stored. */
  readonly space: string;
  /** Note for the model, sent with every result, on what a score means. */
  readonly note: string;
  /**
   * Returns one vector of length 1 per text, in order. The signal limits the time of all requests and pauses together.
   *
   * @throws {EmbeddingsUnavailable} if a server does not answer as expected.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}

/** Scales a vector to length 1. A zero vector is returned unchanged. */
export function toUnitVector(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}
