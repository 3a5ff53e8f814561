import { setTimeout as sleep } from 'node:timers/promises';
import { computeBackoffMs, type Backoff } from '@phaseline/basics';
import { z } from 'zod';
import { toUnitVector, type Embedder } from './embedder.js';
import { EmbeddingsUnavailable } from './embeddings-unavailable.js';

export interface EmbeddingSettings {
  /** Base URL, for example `https://host/v1`; `/embeddings` is appended. */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token. */
  readonly apiKey?: string | undefined;
  /** Number of dimensions to request. Defaults to that of the model. */
  readonly dimensions?: number | undefined;
}

/** How often a request is repeated after a temporary failure. */
interface EmbeddingRetries {
  /** Number of attempts per request, with the first one. */
  readonly maxAttempts: number;
  /** Pauses between attempts; a Retry-After header overrides them up to `maxMs`. */
  readonly backoff: Backoff;
}

/** Limits per request, by number and by size. OpenAI accepts 2,048 texts and 300,000 tokens, local servers far less. */
const MAX_TEXTS_PER_BATCH = 64;
const MAX_CHARACTERS_PER_BATCH = 100_000;
const REQUEST_TIMEOUT_MS = 60_000;

/** Maximum size of an answer in characters per text: a vector of 8,192 numbers with 32 characters each. */
const MAX_ANSWER_CHARACTERS_PER_TEXT = 256 * 1024;
const MAX_EXCERPT_CHARACTERS = 300;

const NO_RETRIES: EmbeddingRetries = { maxAttempts: 1, backoff: { firstMs: 0, maxMs: 0 } };

const responseSchema = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1) })),
});

/** Gets embeddings from any server that speaks the OpenAI protocol. The texts and the key are sent to no other server. */
export class HttpEmbedder implements Embedder {
  readonly space: string;
  readonly note = 'Scores measure similarity of meaning, as computed by the embedding model.';
  /** Name of the model with the requested number of dimensions. Unlike `space`, it is the same wherever a service reaches the server. Stored. */
  readonly model: string;
  private readonly endpoint: string;

  /** Requests are not repeated without `retries`. */
  constructor(
    private readonly settings: EmbeddingSettings,
    private readonly retries = NO_RETRIES,
  ) {
    const { url, model, dimensions } = settings;
    this.endpoint = `${url.replace(/\/+$/, '')}/embeddings`;
    const suffix = dimensions === undefined ? '' : `-${dimensions}`;
    this.model = `${model}${suffix}`;
    this.space = `${model}@${new URL(this.endpoint).host}${suffix}`;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const batch of splitIntoBatches(texts)) vectors.push(...(await this.embedBatch(batch, signal)));
    return vectors;
  }

  private async embedBatch(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const { maxAttempts, backoff } = this.retries;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.request(texts, signal);
      } catch (error) {
        const isRetried = error instanceof EmbeddingsUnavailable && error.isTemporary && attempt < maxAttempts;
        if (!isRetried) throw error;
        const waitMs = error.retryAfterMs ?? computeBackoffMs(backoff, attempt);
        await sleep(Math.min(waitMs, backoff.maxMs), undefined, { signal });
      }
    }
  }

  private async request(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const { apiKey, model, dimensions } = this.settings;
    let response: Response;
    let body: string;
    try {
      response = await fetch(this.endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({
          model,
          input: texts,
          encoding_format: 'float',
          ...(dimensions === undefined ? {} : { dimensions }),
        }),
        // The texts and the key must not be sent to a redirect target.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      });
      body = await readBeginning(
        response,
        response.ok ? texts.length * MAX_ANSWER_CHARACTERS_PER_TEXT : MAX_EXCERPT_CHARACTERS,
      );
    } catch (cause) {
      signal.throwIfAborted();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new EmbeddingsUnavailable(`the server of embeddings did not answer: ${reason}`, {
        isTemporary: true,
        cause,
      });
    }
    if (!response.ok) throw toFailure(response, body);
    return readVectors(body, texts.length);
  }
}

/** Reads a body up to a number of characters, and closes the connection if it has more. */
async function readBeginning(response: Response, maxCharacters: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    if (text.length > maxCharacters) return text.slice(0, maxCharacters);
  }
  return text + decoder.decode();
}

function toFailure(response: Response, body: string): EmbeddingsUnavailable {
  const { status } = response;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new EmbeddingsUnavailable(`the server of embeddings answered with status ${status}`, {
    isTemporary: status === 408 || status === 409 || status === 429 || status >= 500,
    retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined,
    excerpt: body.toWellFormed(),
  });
}

/** Reads the vectors, ordered by `index`, because servers may return them in a different order. */
function readVectors(body: string, count: number): readonly Float32Array[] {
  const parsed = responseSchema.safeParse(parseJson(body));
  if (!parsed.success)
    throw new EmbeddingsUnavailable('the answer of the server of embeddings does not follow the protocol', {
      isTemporary: false,
    });
  const { data } = parsed.data;
  const vectors = new Map(data.map(({ index, embedding }) => [index, toUnitVector(Float32Array.from(embedding))]));
  const ordered = Array.from({ length: count }, (_, index) => vectors.get(index)).filter(
    (vector) => vector !== undefined,
  );
  const isComplete = data.length === count && ordered.length === count;
  if (!isComplete || !ordered.every(({ length }) => length === ordered[0]?.length))
    throw new EmbeddingsUnavailable(
      `the server of embeddings did not return one vector of the same length for each of ${count} texts`,
      { isTemporary: false },
    );
  return ordered;
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function* splitIntoBatches(texts: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (batch.length > 0 && (batch.length >= MAX_TEXTS_PER_BATCH || length + text.length > MAX_CHARACTERS_PER_BATCH)) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(text);
    length += text.length;
  }
  if (batch.length > 0) yield batch;
}
