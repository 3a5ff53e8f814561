import type { HttpEmbedder } from '@phaseline/embeddings';
import type { Queryable } from '@phaseline/event-store';
import { toStoredVector } from './stored-vector.js';

/** Learning traces per request. */
const BATCH = 32;

/** Maximum characters of a text that is sent. Servers refuse texts that are longer than their model allows, often 512 tokens or more. */
const MAX_CHARACTERS = 2_000;

/** Time in milliseconds after which a request is given up. The loop that calls this repeats it. */
const TIMEOUT_MS = 30_000;

/**
 * Asks for the embeddings of the newest learning traces that have none of this model, and stores them. Returns how many there were; fewer than a batch
 * if none is left. Replicas that do this together store the same.
 */
export async function fillEmbeddings(
  database: Queryable,
  embedder: HttpEmbedder,
  signal: AbortSignal,
): Promise<number> {
  const { rows } = await database.query<{ id: string; text: string }>(
    `SELECT t.id, left(concat_ws(E'\\n', t.happened, t.correct, t.why, t.task), ${MAX_CHARACTERS}) AS text
     FROM phaseline.learning_traces AS t
     WHERE NOT EXISTS (SELECT FROM phaseline.learning_embeddings AS e WHERE e.trace = t.id AND e.model = $1)
     ORDER BY t.position DESC LIMIT ${BATCH}`,
    [embedder.model],
  );
  if (rows.length === 0) return 0;
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const vectors = await embedder.embed(
    rows.map(({ text }) => text),
    timeout,
  );
  // A learning trace that was removed meanwhile gets none.
  await database.query(
    `INSERT INTO phaseline.learning_embeddings (trace, model, vector)
     SELECT t.id, $1, filled.vector FROM unnest($2::uuid[], $3::bytea[]) AS filled(id, vector)
     JOIN phaseline.learning_traces AS t USING (id) ON CONFLICT DO NOTHING`,
    [embedder.model, rows.map(({ id }) => id), vectors.map(toStoredVector)],
  );
  return rows.length;
}
