import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '@phaseline/contracts';
import { z } from 'zod';
import { unit, type Embedder } from './embedder.js';

export interface HttpEmbedderSettings {
  /** Such as `https://host/v1`; `/embeddings` is added. */
  readonly baseUrl: string;
  /** Sent as a bearer token where it is not empty. */
  readonly apiKey: string;
  readonly model: string;
  /** Asked of the server where it is given; else the model's own. */
  readonly dimensions?: number | undefined;
  /** Of one request. Default 60 s. */
  readonly timeoutMs?: number;
  /** Wait before the second try, doubled for each further one; a server's Retry-After counts more. Default 500 ms. */
  readonly backoffMs?: number;
}

/** What servers take in one request, by number and by size: OpenAI 2,048 and 300,000 tokens, local servers far less. */
const BATCH_TEXTS = 64;
const BATCH_CHARACTERS = 100_000;
const ATTEMPTS = 5;
const LONGEST_WAIT_MS = 20_000;

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1) })),
});

/** Embeddings of any server that speaks the OpenAI protocol. */
export class HttpEmbedder implements Embedder {
  readonly space: string;
  readonly note = 'Scores compare meanings as the embedding model sees them.';
  private readonly url: string;

  constructor(private readonly settings: HttpEmbedderSettings) {
    const { baseUrl, model, dimensions } = settings;
    this.url = `${baseUrl.replace(/\/+$/, '')}/embeddings`;
    this.space = `${model}@${new URL(this.url).host}${dimensions === undefined ? '' : `-${dimensions}`}`;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const batch of batches(texts)) vectors.push(...(await this.batch(batch, signal)));
    return vectors;
  }

  private async batch(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    for (let attempt = 1; ; attempt += 1) {
      const failure = await this.request(texts, signal);
      if (!(failure instanceof Failure)) return failure;
      if (!failure.passing || attempt >= ATTEMPTS)
        throw new ToolError(
          'embeddings_unavailable',
          `The embedding server failed: ${failure.message}. Use search_files instead.`,
          {
            // It was tried often enough; only what passes by itself is worth another call.
            retryable: failure.passing,
            cause: failure,
          },
        );
      const wait = failure.retryAfterMs ?? (this.settings.backoffMs ?? 500) * 2 ** (attempt - 1);
      await sleep(Math.min(wait, LONGEST_WAIT_MS), undefined, { signal });
    }
  }

  private async request(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[] | Failure> {
    const { apiKey, model, dimensions, timeoutMs = 60_000 } = this.settings;
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
        // A key must not follow to wherever a server points.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      const body = await response.text();
      if (!response.ok) return failureOf(response, body);
      return vectorsOf(body, texts.length);
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

function failureOf(response: Response, body: string): Failure {
  const passing =
    response.status === 408 || response.status === 409 || response.status === 429 || response.status >= 500;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new Failure(
    `${response.status} ${body.slice(0, 300).toWellFormed()}`,
    passing,
    Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined,
  );
}

/** Servers may answer in another order than they were asked; `index` says which is which. */
function vectorsOf(body: string, count: number): readonly Float32Array[] | Failure {
  const parsed = answerSchema.safeParse(jsonOf(body));
  if (!parsed.success) return new Failure('its answer is not what the protocol says', false);
  const vectors: Float32Array[] = [];
  for (const { index, embedding } of parsed.data.data) vectors[index] = unit(Float32Array.from(embedding));
  const [first] = vectors;
  const complete =
    parsed.data.data.length === count &&
    vectors.length === count &&
    Array.from({ length: count }, (_, i) => vectors[i]).every((vector) => vector?.length === first?.length);
  return complete ? vectors : new Failure(`it was given ${count} texts and did not answer each of them alike`, false);
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function* batches(texts: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (batch.length > 0 && (batch.length >= BATCH_TEXTS || length + text.length > BATCH_CHARACTERS)) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(text);
    length += text.length;
  }
  if (batch.length > 0) yield batch;
}
