import { setTimeout as sleep } from 'node:timers/promises';
import { computeBackoffMs } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import { z } from 'zod';
import { toUnitVector, type Embedder } from './embedder.js';

export interface HttpEmbedderSettings {
  /** Base URL, for example `https://host/v1`; `/embeddings` is appended. */
  readonly baseUrl: string;
  /** Sent as a bearer token unless it is empty. */
  readonly apiKey: string;
  readonly model: string;
  /** Number of dimensions to request. Defaults to that of the model. */
  readonly dimensions?: number | undefined;
  /** Pause before the second attempt in milliseconds, doubled for each further one; a Retry-After header overrides it. Defaults to 500 ms. */
  readonly backoffMs?: number;
}

/** Limits per request, by number and by size. OpenAI accepts 2,048 texts and 300,000 tokens, local servers far less. */
const MAX_TEXTS_PER_BATCH = 64;
const MAX_CHARACTERS_PER_BATCH = 100_000;
const MAX_ATTEMPTS = 5;
const REQUEST_TIMEOUT_MS = 60_000;
const MAX_WAIT_MS = 20_000;

const responseSchema = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1) })),
});

/** Gets embeddings from any server that speaks the OpenAI protocol. */
export class HttpEmbedder implements Embedder {
  readonly space: string;
  readonly note = 'Scores measure similarity of meaning, as computed by the embedding model.';
  private readonly url: string;

  constructor(private readonly settings: HttpEmbedderSettings) {
    const { baseUrl, model, dimensions } = settings;
    this.url = `${baseUrl.replace(/\/+$/, '')}/embeddings`;
    this.space = `${model}@${new URL(this.url).host}${dimensions === undefined ? '' : `-${dimensions}`}`;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const batch of splitIntoBatches(texts)) vectors.push(...(await this.embedBatch(batch, signal)));
    return vectors;
  }

  private async embedBatch(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    for (let attempt = 1; ; attempt += 1) {
      const failure = await this.request(texts, signal);
      if (!(failure instanceof Failure)) return failure;
      if (!failure.passing || attempt >= MAX_ATTEMPTS)
        throw new ToolError(
          'embeddings_unavailable',
          `The embedding server failed: ${failure.message}. Use search_files instead.`,
          {
            // Retries are used up; another call is worthwhile only for a temporary failure.
            retryable: failure.passing,
            cause: failure,
          },
        );
      const backoff = { firstMs: this.settings.backoffMs ?? 500, maxMs: MAX_WAIT_MS };
      const wait = failure.retryAfterMs ?? computeBackoffMs(backoff, attempt);
      await sleep(Math.min(wait, MAX_WAIT_MS), undefined, { signal });
    }
  }

  private async request(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[] | Failure> {
    const { apiKey, model, dimensions } = this.settings;
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({
          model,
          input: texts,
          encoding_format: 'float',
          ...(dimensions === undefined ? {} : { dimensions }),
        }),
        // The key must not be sent to a redirect target.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      });
      const body = await response.text();
      if (!response.ok) return toFailure(response, body);
      return readVectors(body, texts.length);
    } catch (error) {
      signal.throwIfAborted();
      return new Failure(error instanceof Error ? error.message : String(error), true);
    }
  }
}

class Failure extends Error {
  constructor(
    message: string,
    readonly passing: boolean,
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

function toFailure(response: Response, body: string): Failure {
  const passing =
    response.status === 408 || response.status === 409 || response.status === 429 || response.status >= 500;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new Failure(
    `${response.status} ${body.slice(0, 300).toWellFormed()}`,
    passing,
    Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined,
  );
}

/** Reads the vectors, ordered by `index`, because servers may return them in a different order. */
function readVectors(body: string, count: number): readonly Float32Array[] | Failure {
  const parsed = responseSchema.safeParse(parseJson(body));
  if (!parsed.success) return new Failure('its response does not follow the protocol', false);
  const vectors: Float32Array[] = [];
  for (const { index, embedding } of parsed.data.data) vectors[index] = toUnitVector(Float32Array.from(embedding));
  const [first] = vectors;
  const complete =
    parsed.data.data.length === count &&
    vectors.length === count &&
    Array.from({ length: count }, (_, i) => vectors[i]).every((vector) => vector?.length === first?.length);
  return complete
    ? vectors
    : new Failure(`it did not return one vector of the same length for each of ${count} texts`, false);
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
