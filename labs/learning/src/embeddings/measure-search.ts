import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JobId } from '@phaseline/contracts';
import { HttpEmbedder } from '@phaseline/embeddings';
import { createPool } from '@phaseline/event-store';
import { SeededRandom } from '@phaseline/harness';
import { LearningTraces, Similarity } from '@phaseline/learning';

/** Numbers of a vector, as common models have. */
const DIMENSIONS = 1_024;
const MODEL = 'random';
/** Words of a learning trace, and of the text of a search, out of this many different ones. */
const [TRACE_WORDS, SEARCH_WORDS, VOCABULARY] = [60, 12, 2_000] as const;
/** Rows of one statement. */
const BATCH = 500;
/** Searches of each kind; the median of those after the first is printed. */
const SEARCHES = 9;

/** Milliseconds of a search. */
export interface SearchTimes {
  readonly words: number;
  /** The first search by similarity of a process, which reads every vector. */
  readonly firstBySimilarity: number;
  readonly bySimilarity: number;
  /** Words and similarity together, as agents and people search. */
  readonly fused: number;
}

/** Measures searches of generated learning traces with random vectors. The server of embeddings answers at once. */
export async function measureSearch(databaseUrl: string, traces: number, seed: number): Promise<SearchTimes> {
  const random = new SeededRandom(seed);
  const pool = createPool(databaseUrl, { max: 4, applicationName: 'embeddings' });
  const jobId = randomUUID() as JobId;
  await storeTraces(pool, { jobId, traces, random });
  const embeddings = await startEmbeddings(random);
  try {
    const reader = { jobId, tenant: 'default', project: 'shop' };
    const embedder = new HttpEmbedder({ url: embeddings.url, model: MODEL });
    const similarity = new Similarity(pool, embedder, (error) => {
      throw error;
    });
    const search = { text: generateText(random, SEARCH_WORDS), limit: 5 };
    const words = new LearningTraces(pool);
    const fused = new LearningTraces(pool, similarity);
    const timesOf = async (run: () => Promise<unknown>): Promise<readonly number[]> => {
      const times: number[] = [];
      for (let count = 0; count < SEARCHES; count += 1) {
        const start = performance.now();
        await run();
        times.push(performance.now() - start);
      }
      return times;
    };
    const byWords = await timesOf(() => words.search(reader, {}, search));
    const [first, ...later] = await timesOf(() => similarity.search(reader, {}, search));
    const together = await timesOf(() => fused.search(reader, {}, search));
    return {
      words: median(byWords),
      firstBySimilarity: first!,
      bySimilarity: median(later),
      fused: median(together),
    };
  } finally {
    await embeddings.close();
    await pool.end();
  }
}

async function storeTraces(
  pool: ReturnType<typeof createPool>,
  { jobId, traces, random }: { readonly jobId: JobId; readonly traces: number; readonly random: SeededRandom },
): Promise<void> {
  for (let first = 0; first < traces; first += BATCH) {
    const size = Math.min(BATCH, traces - first);
    const ids = Array.from({ length: size }, () => randomUUID());
    const texts = ids.map(() => generateText(random, TRACE_WORDS));
    await pool.query(
      `INSERT INTO phaseline.learning_traces
         (id, position, tenant, project, job_id, recorded_at, type, source, action, reason, agent, happened)
       SELECT id, $4 + n, 'default', 'shop', $1, now(), 'violation', 'enforcement_hook', 'note', 'other', 'coder', happened
       FROM unnest($2::uuid[], $3::text[]) WITH ORDINALITY AS given(id, happened, n)`,
      [jobId, ids, texts, first],
    );
    await pool.query(
      `INSERT INTO phaseline.learning_embeddings (trace, model, vector)
       SELECT id, $1, vector FROM unnest($2::uuid[], $3::bytea[]) AS given(id, vector)`,
      [MODEL, ids, ids.map(() => Buffer.from(generateVector(random).buffer))],
    );
  }
}

/** A server that answers every text with a random vector of length 1. */
async function startEmbeddings(
  random: SeededRandom,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: [{ index: 0, embedding: [...generateVector(random)] }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function generateVector(random: SeededRandom): Float32Array<ArrayBuffer> {
  const numbers = Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
  const length = Math.hypot(...numbers);
  return numbers.map((number) => number / length);
}

function generateText(random: SeededRandom, words: number): string {
  return Array.from({ length: words }, () => `word${random.between(1, VOCABULARY)}`).join(' ');
}

function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!;
}
