import type { EventId } from '@phaseline/contracts';
import type { HttpEmbedder } from '@phaseline/embeddings';
import type { Queryable } from '@phaseline/event-store';
import {
  FILTERED,
  toFilterParameters,
  toReaderParameters,
  VISIBLE,
  type LearningTraceFilter,
  type LearningTraceReader,
} from '../traces/visible-traces.js';
import { QueryEmbedder } from './query-embedder.js';
import { computeSimilarity, fromStoredVector } from './stored-vector.js';

/** Candidates that are compared, the newest ones: what a process compares in a fraction of a second. */
const MAX_CANDIDATES = 10_000;

/** Size of the vectors that a process keeps: those of 16,000 learning traces with 1,024 numbers each. */
const MAX_KNOWN_BYTES = 64 * 1024 * 1024;

/** Finds learning traces by the similarity of embeddings. */
export class Similarity {
  private readonly known = new Map<EventId, Float32Array>();
  private knownBytes = 0;
  private readonly queries: QueryEmbedder;
  private readonly model: string;

  constructor(
    private readonly database: Queryable,
    embedder: HttpEmbedder,
    /** Called if the server fails; searches then do without embeddings for a time. */
    onProblem: (error: unknown) => void,
    timeoutMs?: number,
  ) {
    this.queries = new QueryEmbedder(embedder, { onProblem, timeoutMs });
    this.model = embedder.model;
  }

  /**
   * Returns the ids of the learning traces that a reader may see and that are most similar to a text, the most similar first. Empty while the server does
   * not answer in time; then words alone decide.
   */
  async search(
    reader: LearningTraceReader,
    filter: LearningTraceFilter,
    { text, limit }: { readonly text: string; readonly limit: number },
  ): Promise<readonly EventId[]> {
    const vector = await this.queries.embed(text);
    if (!vector) return [];
    const { rows } = await this.database.query<{ id: EventId }>(
      `SELECT t.id FROM phaseline.learning_traces AS t
       JOIN phaseline.learning_embeddings AS e ON e.trace = t.id AND e.model = $11
       WHERE ${VISIBLE} AND ${FILTERED} ORDER BY t.position DESC LIMIT ${MAX_CANDIDATES}`,
      [...toReaderParameters(reader), ...toFilterParameters(filter), this.model],
    );
    const vectors = await this.readVectors(rows.map(({ id }) => id));
    return [...vectors]
      .map(([id, one]) => ({ id, similarity: computeSimilarity(vector, one) }))
      .filter(({ similarity }) => similarity > 0)
      .sort((left, right) => right.similarity - left.similarity)
      .slice(0, limit)
      .map(({ id }) => id);
  }

  /** Reads vectors, each once: reading takes much longer than comparing. What a reader may see is decided before, in every search. */
  private async readVectors(ids: readonly EventId[]): Promise<ReadonlyMap<EventId, Float32Array>> {
    const missing = ids.filter((id) => !this.known.has(id));
    const found = new Map(ids.flatMap((id) => (this.known.has(id) ? [[id, this.known.get(id)!]] : [])));
    if (missing.length === 0) return found;
    const { rows } = await this.database.query<{ trace: EventId; vector: Buffer }>(
      'SELECT trace, vector FROM phaseline.learning_embeddings WHERE model = $1 AND trace = ANY ($2::uuid[])',
      [this.model, missing],
    );
    for (const { trace, vector: stored } of rows) {
      const vector = fromStoredVector(stored);
      found.set(trace, vector);
      if (this.knownBytes > MAX_KNOWN_BYTES) this.forget();
      this.known.set(trace, vector);
      this.knownBytes += vector.byteLength;
    }
    return found;
  }

  private forget(): void {
    this.known.clear();
    this.knownBytes = 0;
  }
}
