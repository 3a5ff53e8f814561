import { z } from 'zod';

export interface EmbeddingSettings {
  /** Base URL of a server with an OpenAI-compatible API, such as `http://127.0.0.1:8080/v1`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
}

/** Maximum size of an answer in characters: 64 vectors of 4,096 numbers. */
const MAX_ANSWER_CHARACTERS = 8 * 1024 * 1024;

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(65_536) })),
});

/** A server that computes embeddings. It receives the texts of learning traces, so requests are never redirected to another one. */
export class EmbeddingServer {
  private readonly endpoint: string;
  readonly model: string;

  constructor(private readonly settings: EmbeddingSettings) {
    this.endpoint = `${settings.url.replace(/\/+$/, '')}/embeddings`;
    this.model = settings.model;
  }

  /** Returns the embedding of each text as a vector of length 1. Throws an error without the texts if the server does not answer as expected. */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const { apiKey, model } = this.settings;
    const response = await fetch(this.endpoint, {
      method: 'POST',
      redirect: 'error',
      signal,
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`the server of embeddings answered with status ${response.status}`);
    }
    const { data } = answerSchema.parse(JSON.parse(await readText(response)));
    const vectors = new Map(data.map(({ index, embedding }) => [index, toUnitVector(embedding)]));
    const size = vectors.get(0)?.length;
    return texts.map((_, index) => {
      const vector = vectors.get(index);
      if (!vector || vector.length !== size) throw new Error('the server of embeddings answered with other vectors');
      return vector;
    });
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    if (text.length > MAX_ANSWER_CHARACTERS) throw new Error('the answer of the server of embeddings is too long');
  }
  return text + decoder.decode();
}

/** A vector of zeros stays one, and is similar to nothing. */
function toUnitVector(numbers: readonly number[]): Float32Array {
  const length = Math.hypot(...numbers) || 1;
  return Float32Array.from(numbers, (number) => number / length);
}
